"""Secret bytes for keys, nonces and random tokens, and secret choices, from the operating system."""

from __future__ import annotations

import secrets


def fresh_bytes(count: int) -> bytes:
    """As many bytes as asked for, from the operating system's cryptographic generator; they cannot be had again."""
    return secrets.token_bytes(count)


def fresh_choice(count: int) -> int:
    """One of range(count), each equally likely, from the operating system's cryptographic generator."""
    return secrets.randbelow(count)

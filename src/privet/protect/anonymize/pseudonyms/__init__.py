"""Pseudonyms: one-way, reversible, format-preserving, random with a vault; keys, rotation and erasure."""

from privet.protect.anonymize.pseudonyms.applying import Method, hash_unkeyed, pseudonymize, reveal
from privet.protect.anonymize.pseudonyms.key_places import find_keys, save_keys
from privet.protect.anonymize.pseudonyms.keys import Key, KeyRing, Scope
from privet.protect.anonymize.pseudonyms.vault import Vault

__all__ = [
    "Key",
    "KeyRing",
    "Method",
    "Scope",
    "Vault",
    "find_keys",
    "hash_unkeyed",
    "pseudonymize",
    "reveal",
    "save_keys",
]

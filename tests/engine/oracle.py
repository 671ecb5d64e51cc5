"""The whole bounding algorithm in plain Python: slow, obvious, and no engine in sight.

Hashing is written out again from its description, with Python's own integers and hashlib.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict

PRIME = 2**31 - 1
MISSING = 1_779_033_703


def constant(key, label):
    return 2**28 + int.from_bytes(hashlib.sha256(f"{key}|{label}".encode()).digest()[:8], "big") % (
        2**30 - 2**28
    )


def word(value, key, bits=64):
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return int(math.fmod(value, PRIME)) + PRIME if abs(value) < 2**52 else _remainder(value) + PRIME
    if isinstance(value, float):
        inside = max(min(value, 2.0**52), -(2.0**52))
        below = math.floor(inside)
        places = math.floor((inside - below) * 2**31)
        return (_remainder(below) + PRIME + places * 65_537) % PRIME
    if isinstance(value, str):
        return int.from_bytes(hashlib.md5(f"{key}|{value}".encode()).digest()[:4], "little")
    return (value.year * 100 + value.month) * 100 + value.day


def _remainder(value):
    """With the sign of the value, as SQL has it."""
    return abs(value) % PRIME * (1 if value >= 0 else -1)


def order_of(person, group, key="privet"):
    total = 0
    for at, each in enumerate(group):
        total = total * constant(key, "power") if at else 0
        total += word(each, key) * constant(key, f"key {at}") + constant(key, f"add {at}")
        total %= PRIME
    mixed = (word(person, key) * constant(key, "person") + constant(key, "person add")) % PRIME ^ total
    for at, shift in enumerate((15, 13)):
        mixed = (mixed ^ (mixed >> shift)) * constant(key, f"round {at}") % PRIME
    return mixed


def missing(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def canonical(value):
    return (
        None if missing(value) else 0.0 if value == 0.0 and isinstance(value, float) else value
    )  # exact: there are two noughts, and no other


def steps(value, fixed):
    """Steps from the lower bound, or None where the value is not valid."""
    if missing(value):
        return None
    low, high, step = float(fixed.lower), float(fixed.upper), float(fixed.step)
    inside = min(max(float(value), low), high)
    counted = math.floor((inside - float(fixed.lower - fixed.step / 2)) * float(1 / fixed.step))
    assert step > 0
    return min(max(counted, 0), fixed.span)


def bounded(rows, *, person, keys, value, fixed, groups, per_group=None, total=None, stated=None):
    """{key: (persons, rows, valid, sum)} of a list of dictionaries."""
    pairs = defaultdict(list)
    for row in rows:
        group = tuple(canonical(row[name]) for name in keys)
        if not missing(row[person]) and (stated is None or group in stated):
            pairs[row[person], group].append(row)
    people = defaultdict(list)
    for who, group in pairs:
        people[who].append(group)
    answer = defaultdict(lambda: [0, 0, 0, 0])
    for who, theirs in people.items():
        hashed = [(stated.index(group),) if stated is not None else group for group in theirs]
        ordered = [group for _, group in sorted(zip([order_of(who, h) for h in hashed], theirs, strict=True))]
        left = total
        for group in ordered[:groups]:
            found = pairs[who, group]
            kept = min(len(found), per_group if total is None else left)
            left = None if total is None else left - kept
            if kept:
                _add(answer[group], found, kept, value, fixed)
    return {group: tuple(entry) for group, entry in answer.items()}


def _add(entry, found, kept, value, fixed):
    counted = [step for step in (steps(row[value], fixed) for row in found) if step is not None]
    valid = min(len(counted), kept)
    part = math.floor(sum(counted) * (valid / max(len(counted), 1)) + 0.5)
    part = min(max(part, 0), fixed.span * valid)
    for at, amount in enumerate((1, kept, valid, part - fixed.offset * valid)):
        entry[at] += amount

"""A table of six people in two classes, and a hierarchy of four ages: what classes give away is counted by hand on them."""

import pyarrow as pa

from privet.attacks._attack_registry import Case

ROLES = {"quasi": ["age"], "sensitive": "ill"}
ORIGINAL = pa.table({"age": [21, 22, 23, 31, 32, 33], "ill": ["flu", "flu", "flu", "flu", "gout", "mumps"]})
PUBLISHED = ORIGINAL.set_column(0, "age", pa.array(["[20, 30["] * 3 + ["[30, 40["] * 3))

TREE = [("21", "young", "*"), ("22", "young", "*"), ("31", "old", "*"), ("32", "old", "*")]


def case(**more) -> Case:
    settings = {**ROLES, **more.pop("settings", {})}
    return Case(members=more.pop("members", ORIGINAL), settings=settings, **more)

"""What single attacks take beyond what every attack is given. A name that is not here is a slip, and is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypedDict

Columns: TypeAlias = str | Sequence[str] | None


class AttackSettings(TypedDict, total=False):
    """The keywords of `attack` for single attacks; each attack's own text says which it takes, and what they mean."""

    address: str | None  # of a Ray cluster
    again: Any  # a second run, to compare with
    alarm: float
    attribute: Any
    backend: str
    by: str
    canaries: Any
    columns: Columns
    corpus: Any  # texts that are sent through a shield
    delta: float
    density: str
    differentiable: Any
    draws: int
    excluded: int
    gamma: float
    groups: Any
    guessed: Any  # texts that an adversary guesses to be like those that are sent
    guesses: int
    halves: Any
    hierarchies: Any
    k: int | None
    known: Columns
    label: Any
    limit: float | None  # share of tokens that is bearable
    link: Mapping[str, str]
    linker: str
    model: Any
    names: Sequence[str] | None  # that are scored apart
    neighbours: int
    oracle: Callable[..., Any]
    other: Any
    other_quasi: Columns
    pairs: Sequence[float]  # shares of them that an adversary caught
    parts: int
    plants: int
    prefix: int  # tokens of a text that are shown
    probes: Any
    quasi: Columns
    ranges: Any
    rare: int  # a token that the adversary saw at most so often
    recipe: Any
    recoding: str
    reference: Any
    references: int
    repeats: int
    reports: int
    restarts: int
    rise: float
    secret: Any
    sends: int  # of one text through a shield
    sensitive: Columns
    shadows: int
    share: float | None
    shared: Columns
    smooth: float
    steps: int
    suffix: int  # tokens of a text that are asked for
    text: str | None  # the column that holds texts
    threshold: float
    tolerance: float
    truth: Any
    unit: Any
    value: Any
    values: Any
    variance: str
    windows: int  # texts of each side that are tried


SETTINGS = frozenset(AttackSettings.__annotations__)

"""Near duplicates among texts, counted by unit before training: what a promise for one unit does not cover."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.attacks.memorization._minhash import near_clusters, signatures
from privet.errors import BadAttack, checked

if TYPE_CHECKING:
    from numpy.typing import NDArray

LIKENESS = 0.8
COPIES = ((1, 1), (2, 7), (8, 31), (32, None))  # bands that things are counted by


def copies_band(copies: int) -> str:
    """The band that a number of copies lies in, in words: "1", "2 to 7", "8 to 31", "32 or more"."""
    for low, high in COPIES:
        if high is None or copies <= high:
            return f"{low} or more" if high is None else str(low) if low == high else f"{low} to {high}"
    raise AssertionError("the last band has no end")


@dataclass(frozen=True)
class TextDuplicates:
    """How often texts stand in data, exactly and nearly, and in how many units. Figures are for the owner alone.

    Attributes:
        texts: how many there are.
        units: how many units they belong to.
        exact: texts that repeat an earlier one, character for character.
        near: texts that repeat an earlier one, at least nearly.
        shared: texts of which another unit holds a near duplicate.
        likeness: the estimated share of common shingles from which two texts count as near.
        by_units: for each number of units that hold the same text, how many texts there are.
        clusters: for each text, the first that it is a near duplicate of.
        holders: for each text, the units that hold it or a near duplicate.
    """

    texts: int
    units: int
    exact: int
    near: int
    shared: int
    likeness: float
    by_units: dict[str, int]
    clusters: NDArray[np.int64]
    holders: NDArray[np.int64]

    @property
    def most(self) -> int:
        """The most units that hold the same text."""
        return int(self.holders.max(initial=0))

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which texts stay where each is kept once: the first of its kind."""
        return np.asarray(self.clusters == np.arange(self.texts), bool)

    def sentences(self) -> list[str]:
        """What was counted, and what follows for a promise."""
        said = [
            f"{self.texts:,} texts of {self.units:,} units: {self.exact:,} repeat an earlier text exactly, "
            f"{self.near:,} at least nearly (estimated likeness {self.likeness:g} or more).",
            f"{self.shared:,} texts have a near duplicate in another unit; the most units that hold one text are {self.most:,}.",
        ]
        if self.shared:
            said.append(
                "A promise for one unit does not cover what stands in several: for a text in c units its epsilon is c times "
                "as large. Keep each text once (--write), or state a unit that holds all copies."
            )
        else:
            said.append(
                "No near duplicate across units was found. Paraphrases and translations are not found by shared words."
            )
        return said

    def to_json(self) -> dict[str, Any]:
        """The figures, without any text."""
        return {
            "texts": self.texts, "units": self.units, "exact": self.exact, "near": self.near, "shared": self.shared,
            "likeness": self.likeness, "most": self.most, "by_units": self.by_units,
        }  # fmt: skip

    def __str__(self) -> str:
        rows = "\n".join(f"  {band.ljust(12)} {count:>12,}" for band, count in self.by_units.items())
        return "\n".join(
            [
                *self.sentences()[:2],
                "",
                "  units        texts that so many hold",
                rows,
                "",
                *self.sentences()[2:],
            ]
        )


@checked
def near_duplicates(
    texts: Iterable[str], units: Sequence[Any] | None = None, *, likeness: float = LIKENESS
) -> TextDuplicates:
    """Count texts that repeat others, exactly or nearly, within and across units.

    Args:
        texts: them; read once, and not kept.
        units: whose each is [default: each text is a unit of its own].
        likeness: from which share of common three-word shingles two texts are near, between 0.5 and 1.
    """
    if not 0.5 <= likeness <= 1:
        raise BadAttack("a likeness lies between 0.5 and 1.", "Give likeness=0.8.")
    digests: list[bytes] = []

    def passing() -> Iterable[str]:
        for text in texts:
            if not isinstance(text, str):
                raise BadAttack("a text is missing, or is not a text.", "Leave rows without text out.")
            digests.append(hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest())
            yield text

    rows = signatures(passing())
    if units is not None and len(units) != len(rows):
        raise BadAttack("there are not as many units as texts.", "Name the unit of each text.")
    owners = (
        np.arange(len(rows))
        if units is None
        else np.unique(np.array([str(one) for one in units]), return_inverse=True)[1]
    )
    clusters = near_clusters(rows, likeness)
    holders = _holders(clusters, owners)
    bands = [copies_band(int(one)) for one in holders]
    names = [copies_band(low) for low, _ in COPIES]
    return TextDuplicates(
        len(rows),
        len(np.unique(owners)),
        len(digests) - len(set(digests)),
        int((clusters != np.arange(len(rows))).sum()),
        int((holders > 1).sum()),
        likeness,
        {name: bands.count(name) for name in names},
        clusters,
        holders,
    )


def cluster_sizes(texts: Sequence[str], likeness: float = LIKENESS) -> NDArray[np.int64]:
    """How often each text stands among all, near duplicates included."""
    clusters = near_clusters(signatures(texts), likeness)
    return np.asarray(np.bincount(clusters, minlength=len(clusters))[clusters], np.int64)


def _holders(clusters: NDArray[np.int64], owners: NDArray[Any]) -> NDArray[np.int64]:
    """How many units hold each text's cluster."""
    if not len(clusters):
        return np.empty(0, np.int64)
    pairs = np.unique(np.stack([clusters, owners.astype(np.int64)]), axis=1)
    return np.asarray(np.bincount(pairs[0], minlength=len(clusters))[clusters], np.int64)

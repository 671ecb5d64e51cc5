"""MinHash signatures of texts over shingles of words, and which of them are near each other (Broder 1997).

Words, shingles and their minima are computed for whole blocks of texts at once. Hash functions are fixed: a signature is a
fingerprint for counting, and protects nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Signatures = NDArray[np.uint32]

SHINGLE = 3  # words
BANDS, ROWS = (
    16,
    4,
)  # texts that agree in all rows of a band are looked at: at a likeness of 0.8, 99.97 % of them
LENGTH = BANDS * ROWS
_BLOCK = 4_096  # texts
_ODD = np.uint64(0x9E3779B97F4A7C15)
_LETTERS = bytes(
    one if chr(one).isalnum() or one >= 128 else 32 for one in (ord(chr(n).lower()) if n < 128 else n for n in range(256))
)  # fmt: skip


def _hashing(name: str, count: int) -> NDArray[np.uint64]:
    """Fixed odd multipliers."""
    digest = hashlib.shake_256(f"minhash {name}".encode()).digest(8 * count)
    return np.frombuffer(digest, "<u8").astype(np.uint64) | np.uint64(1)


_FACTORS, _SHIFTS = _hashing("factors", LENGTH), _hashing("shifts", LENGTH)


def signatures(texts: Iterable[str], shingle: int = SHINGLE) -> Signatures:
    """One row for each text: of 64 hash functions the least value over its shingles of words, in lower case.

    The share of places in which two rows agree estimates how many of the texts' shingles they share (their Jaccard
    likeness). A text of fewer words is one shingle; one without words is like all others without.
    """
    blocks = [_block(block, shingle) for block in _blocks(texts)]
    return np.concatenate(blocks) if blocks else np.empty((0, LENGTH), np.uint32)


def likeness(these: Signatures, those: Signatures) -> NDArray[np.float64]:
    """The estimated Jaccard likeness of each pair of rows; its standard error is at most 1/16."""
    return np.asarray((these == those).mean(axis=-1), np.float64)


def near_clusters(rows: Signatures, threshold: float) -> NDArray[np.int64]:
    """Which texts are near duplicates of each other: for each, the first text of its cluster.

    Texts that share a band are candidates; each is compared with the one before it and the first in its bucket, and joined
    where the estimated likeness reaches the threshold.
    """
    parents = np.arange(len(rows), dtype=np.int64)
    for band in range(BANDS):
        part = np.ascontiguousarray(rows[:, band * ROWS : (band + 1) * ROWS])
        keys = part.view(f"V{part.shape[1] * part.itemsize}").ravel()
        _, bucket = np.unique(keys, return_inverse=True)
        order = np.argsort(bucket, kind="stable").astype(np.int64)
        sorted_buckets = bucket[order]
        same = np.flatnonzero(sorted_buckets[1:] == sorted_buckets[:-1]) + 1
        starts = np.maximum.accumulate(
            np.where(np.r_[True, sorted_buckets[1:] != sorted_buckets[:-1]], np.arange(len(order)), 0)
        )
        for one, other in ((order[same], order[same - 1]), (order[same], order[starts[same]])):
            near = np.flatnonzero(likeness(rows[one], rows[other]) >= threshold - 1e-9)
            _join(parents, one[near], other[near])
    return _roots(parents)


def _join(parents: NDArray[np.int64], these: NDArray[np.int64], those: NDArray[np.int64]) -> None:
    for one, other in zip(these.tolist(), those.tolist(), strict=True):
        left, right = _root(parents, one), _root(parents, other)
        if left != right:
            parents[max(left, right)] = min(left, right)


def _root(parents: NDArray[np.int64], at: int) -> int:
    while parents[at] != at:
        parents[at] = parents[parents[at]]
        at = int(parents[at])
    return at


def _roots(parents: NDArray[np.int64]) -> NDArray[np.int64]:
    found = parents
    while True:
        further = found[found]
        if np.array_equal(further, found):
            return found
        found = further


def _blocks(texts: Iterable[str]) -> Iterator[Sequence[str]]:
    rest = iter(texts)
    while block := list(islice(rest, _BLOCK)):
        yield block


def _block(texts: Sequence[str], shingle: int) -> Signatures:
    """The signatures of a block: words hashed from one buffer, shingles from words, minima over each text's stretch."""
    words, owner = _words(texts)
    shingles, owner = _shingles(words, owner, shingle)
    counts = np.bincount(owner, minlength=len(texts))
    filled = np.flatnonzero(counts)
    starts = (np.cumsum(counts) - counts)[filled]
    found = np.full((len(texts), LENGTH), np.iinfo(np.uint32).max, np.uint32)
    if len(filled):
        for at in range(LENGTH):
            mixed = ((shingles * _FACTORS[at] + _SHIFTS[at]) >> np.uint64(32)).astype(np.uint32)
            found[filled, at] = np.minimum.reduceat(mixed, starts)
    return found


def _words(texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The hash of every word, and whose text it is in: a polynomial over its bytes, modulo 2^64."""
    raw = [one.lower().encode(errors="surrogatepass").translate(_LETTERS) for one in texts]
    joined = np.frombuffer(b" " + b" ".join(raw) + b" ", np.uint8)
    ends_of_texts = np.cumsum([len(one) + 1 for one in raw])
    letters = joined != 32
    turns = np.flatnonzero(letters[1:] != letters[:-1]) + 1
    starts, ends = turns[::2], turns[1::2]
    powers = np.cumprod(np.full(len(joined), _ODD))
    with np.errstate(over="ignore"):
        summed = np.concatenate([[np.uint64(0)], np.cumsum(joined.astype(np.uint64) * powers)])
        backwards = np.cumprod(np.full(len(joined), np.uint64(pow(int(_ODD), -1, 1 << 64))))
        hashed = (summed[ends] - summed[starts]) * backwards[starts] + (ends - starts).astype(np.uint64)
    return _mixed(hashed), np.searchsorted(ends_of_texts, starts, side="right").astype(np.int64)


def _shingles(
    words: NDArray[np.uint64], owner: NDArray[np.int64], shingle: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Runs of so many words within a text; at a text's end they are shorter only where it has too few words."""
    if not len(words):
        return words, owner
    counts = np.bincount(owner)[owner]
    firsts = np.searchsorted(owner, owner)
    place = np.arange(len(words)) - firsts
    begins = np.flatnonzero((place + shingle <= counts) | ((counts < shingle) & (place == 0)))
    found = np.zeros(len(begins), np.uint64)
    for step in range(shingle):
        at = begins + step
        inside = (at < len(words)) & (owner[np.minimum(at, len(words) - 1)] == owner[begins])
        found = _mixed(found + np.where(inside, words[np.minimum(at, len(words) - 1)], np.uint64(step + 1)))
    return found, owner[begins]


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Every bit depends on all others: the finalizer of splitmix64 (Steele, Lea and Flood 2014)."""
    with np.errstate(over="ignore"):
        values = values + _ODD
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(values ^ (values >> np.uint64(31)), np.uint64)

"""Texts of units as sequences of tokens: packed unit by unit, so that no sequence holds text of two units.

What becomes of a unit depends on its own texts alone: they are joined in the order of their letters, with a mark before, between
and after them, and cut. Where a text is a unit's only one, or each sequence is a unit, nothing is joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadTraining
from privet.protect.train.language._text_tokenizer import TextTokenizer

if TYPE_CHECKING:
    from privet.artifact import UnitTerms

FILLED = -100  # the target of a place that is only filled up, as torch has it


@dataclass(frozen=True, eq=False)
class TextSequences:
    """Sequences side by side, what is to be predicted in them, and whose each is (None where each is its own)."""

    inputs: NDArray[np.int64]
    targets: NDArray[np.int64]
    owners: NDArray[np.int64] | None


def packed(units: Iterable[Sequence[str]], tokenizer: TextTokenizer, terms: UnitTerms) -> TextSequences:
    """The sequences of all units, in their order."""
    rows: list[NDArray[np.int64]] = []
    owners: list[int] = []
    for owner, texts in enumerate(units):
        for row in _of_unit(texts, tokenizer, terms):
            rows.append(row)
            owners.append(owner)
    if not rows:
        raise BadTraining("there are no texts.", "Give at least one that is not empty.")
    inputs = np.full((len(rows), terms.tokens), tokenizer.end, np.int64)
    targets = np.full((len(rows), terms.tokens), FILLED, np.int64)
    for place, row in enumerate(rows):
        inputs[place, : len(row)] = row
        targets[place, : len(row)] = row
    match terms.kind:
        case "row":
            return TextSequences(inputs, targets, None)
        case "sequence":
            return TextSequences(inputs, targets, np.arange(len(rows)))
        case _:
            return TextSequences(inputs, targets, np.array(owners, np.int64))


def _of_unit(texts: Sequence[str], tokenizer: TextTokenizer, terms: UnitTerms) -> Iterator[NDArray[np.int64]]:
    """The sequences of one unit; of a row only the first."""
    stream: list[int] = []
    for text in sorted(texts) if len(texts) > 1 else texts:
        stream += [tokenizer.end, *tokenizer.tokens(text)]
    if not stream:
        return
    whole = np.array([*stream, tokenizer.end], np.int64)
    last = terms.tokens if terms.kind == "row" else len(whole)
    for start in range(0, last, terms.tokens):
        row = whole[start : start + terms.tokens]
        if len(row) > 1 or start == 0:  # a single token predicts nothing
            yield row


def texts_by_unit(texts: Sequence[Any], people: Sequence[Any] | None) -> list[list[str]]:
    """Texts in the order of their units; each by itself where nobody says whose it is. Empty and missing ones are left out."""
    if any(not isinstance(text, str | None) for text in texts):
        raise BadTraining("what is given as texts holds something else.", "Give texts.")
    if people is None:
        return [[text] for text in texts if text]
    if len(people) != len(texts):
        raise BadTraining(
            "people and texts are not equally many.", "Say for each text whose it is, in their order."
        )
    if any(person is None or person != person for person in people):  # noqa: PLR0124 -- not a number
        raise BadTraining("some texts have no person.", "Leave these texts out, or name their person.")
    if len({type(person) for person in people}) > 1:
        raise BadTraining(
            "people are named by values of several kinds: 1 and '1' would be two people.",
            "Name all of them by numbers, or all by texts.",
        )
    found: dict[Any, list[str]] = {}
    for person, text in zip(people, texts, strict=True):
        if text:
            found.setdefault(person, []).append(text)
    return [found[person] for person in sorted(found)]

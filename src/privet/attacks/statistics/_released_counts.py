"""What an attacker on statistics holds: questions about subsets of people, and the answers that came back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Answered:
    """Counts of a yes-or-no secret over subsets of people that the attacker could name.

    `asked` has a row for each question and a column for each person: who was counted. `answers` is what was
    released for it; NaN where the answer was refused.
    """

    asked: NDArray[np.bool_]
    answers: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.asked.ndim != 2 or self.answers.shape != (len(self.asked),):
            raise BadAttack(
                "questions are a table with a row for each question and a column for each person, with an answer each.",
                "Check the shapes.",
            )

    @property
    def people(self) -> int:
        """How many people can be asked about."""
        return int(self.asked.shape[1])


Oracle = Callable[["NDArray[np.bool_]"], float | None]  # a subset of people; None where it is refused


def ask(oracle: Oracle, asked: NDArray[np.bool_]) -> Answered:
    """Put questions to something that answers, and keep the answers."""
    found = [oracle(row) for row in asked]
    return Answered(asked, np.array([np.nan if one is None else one for one in found], float))


def secrets_of(members: object, people: int) -> NDArray[np.bool_]:
    """The truth that the attack is scored with: one yes or no for each person."""
    found = np.asarray(members)
    if found.shape != (people,) or not np.isin(found, (0, 1)).all():
        raise BadAttack(
            f"the truth is one yes or no for each of {people} people.",
            "Give members as 0 and 1, in the order of the columns.",
        )
    return found.astype(bool)

"""Membership games whose answers are known."""

import numpy as np

from privet.attacks._attack_registry import Case
from privet.attacks.models._membership_game import game_of


def game(
    odds: np.ndarray, members: int, labels: np.ndarray | None = None, features: np.ndarray | None = None
):
    """A game whose target answers with these log odds of the first class."""
    odds = np.asarray(odds, float)
    sure = 1 / (1 + np.exp(-np.abs(odds)))
    first, second = np.where(odds >= 0, sure, 1 - sure), np.where(odds >= 0, 1 - sure, sure)
    asked = np.arange(len(odds), dtype=float)[:, None] if features is None else features
    known = {row.tobytes(): at for at, row in enumerate(asked)}

    def target(rows):
        at = [known[row.tobytes()] for row in np.asarray(rows, float)]
        return np.column_stack([first[at], second[at]])

    codes = np.zeros(len(odds), int) if labels is None else labels
    case = Case(members=(asked[:members], codes[:members]), control=(asked[members:], codes[members:]))
    return game_of(target, case), target, case

"""What answers cost over time."""

import itertools
import math
from fractions import Fraction

import pytest

from privet.guarantee.oracles import ORACLES, WORD, memory_of, oracle_class
from privet.guarantee.oracles._word_odds import exp_below


@pytest.mark.parametrize(
    ("kind", "settings", "report", "answers"),
    [
        ("l-grr", {"once": 1000}, 1.0, 50),
        ("l-sue", {"once": 1000}, 1.0, 50),
        ("loloha", {"once": 1000, "range": 4}, 1.0, 4),
        ("dbitflip", {"chosen": 3}, 4.0, 4),
    ],
)
def test_answers_are_paid_for_once(kind, settings, report, answers) -> None:
    memory = memory_of(oracle_class(kind).made(Fraction(4), 50, settings))
    assert memory is not None
    assert abs(memory.report - report) < 1e-12
    assert memory.answers == answers
    assert memory.total(1) == 4
    assert memory.total(1000) == 4 * answers


def test_rappor_has_the_published_epsilons() -> None:
    """Defaults of the published client: 16 bits, 2 hashes, f = 1/2: 4.3944 for ever and 1.0743 for one report."""
    import math

    epsilon = Fraction(4 * math.log(3))
    settings = {"bits": 16, "hashes": 2, "cohorts": 64, "quiet": 128, "loud": 192}
    memory = memory_of(oracle_class("rappor").made(epsilon, 50, settings))
    assert memory is not None
    assert abs(float(memory.value) - 4.3944) < 1e-4
    assert abs(memory.report - 1.0743) < 1e-4


def test_other_oracles_have_no_memory() -> None:
    kept = {kind for kind in ORACLES if memory_of(oracle_class(kind).made(Fraction(2), 50, {})) is not None}
    assert kept == {"l-grr", "l-sue", "loloha", "dbitflip", "rappor"}


@pytest.mark.parametrize("epsilon", ["1/10", "1", "4", "16"])
@pytest.mark.parametrize("changed", [False, True])
def test_all_reports_of_a_person_together_have_the_epsilon_for_ever(epsilon: str, changed: bool) -> None:
    """Three reports about a kept answer by enumeration, and about two values, which cost twice as much."""
    once = int(1000 * Fraction(epsilon)) // 2
    oracle = oracle_class("l-grr").made(Fraction(epsilon), 3, {"once": once})
    keep = Fraction(oracle.odds()[1], WORD)
    shown = [[keep if report == kept else (1 - keep) / 2 for report in range(3)] for kept in range(3)]

    def told(value: int, many: int) -> list[Fraction]:
        """The chance of each sequence of reports about a value."""
        return [
            sum(
                chance * math.prod(shown[kept][report] for report in reports)
                for kept, chance in enumerate(oracle.matrix()[value])
            )
            for reports in itertools.product(range(3), repeat=many)
        ]

    if changed:
        rows = [
            [one * two for one in told(first, 2) for two in told(second, 2)]
            for first, second in itertools.permutations(range(3), 2)
        ]
    else:
        rows = [told(value, 3) for value in range(3)]
    assert all(sum(row) == 1 for row in rows)
    worst = max(max(column) / min(column) for column in zip(*rows, strict=True))
    limit = memory_of(oracle).total(2 if changed else 1)
    assert limit == (2 if changed else 1) * Fraction(epsilon)
    assert worst <= exp_below(Fraction(epsilon)) ** (2 if changed else 1)

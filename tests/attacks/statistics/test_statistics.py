"""Attacks on counts: they succeed where nothing protects, and privacy brings them to chance."""

import numpy as np
import pytest

from privet.artifact._risk_estimate import Verdict
from privet.attacks._attack_registry import Case, attacks
from privet.attacks.statistics import Answered, ask, track
from privet.attacks.statistics._reconstruction_scores import most_right
from privet.errors import BadAttack, NoPower
from privet.guarantee._promise_registry import ApproxDP, KAnonymity, PureDP

PEOPLE = 96
KNOWN = {attack.name: attack.run for attack in attacks("statistics")}


def setting(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    return draw.random(PEOPLE) < 0.5, draw.random((4 * PEOPLE, PEOPLE)) < 0.5


def test_exact_counts_give_the_whole_column_away() -> None:
    truth, asked = setting()
    found = KNOWN["reconstruction"](Answered(asked, asked @ truth.astype(float)), Case(members=truth))
    assert found.success.value == pytest.approx(1)
    assert found.beats_baseline


def test_a_little_error_does_not_help() -> None:
    truth, asked = setting(2)
    off = np.random.default_rng(3).integers(-1, 2, len(asked))
    found = KNOWN["reconstruction"](Answered(asked, asked @ truth.astype(float) + off), Case(members=truth))
    assert found.success.value == pytest.approx(1)


def test_a_total_epsilon_of_one_leaves_chance() -> None:
    """Every question gets its share of epsilon 1; the answers then tell next to nothing."""
    truth, asked = setting(4)
    noise = np.random.default_rng(5).laplace(0, len(asked), len(asked))
    case = Case(members=truth, promise=PureDP(1))
    found = KNOWN["reconstruction"](Answered(asked, asked @ truth.astype(float) + noise), case)
    assert found.success.low < 0.55
    assert found.verdict in {Verdict.WITHIN, Verdict.EDGE}


def test_a_claim_that_is_not_kept_is_contradicted() -> None:
    truth, asked = setting(6)
    case = Case(members=truth, promise=PureDP("0.5"))
    found = KNOWN["reconstruction"](Answered(asked, asked @ truth.astype(float)), case)
    assert found.verdict is Verdict.CONTRADICTS


def test_two_counts_that_differ_in_one_person() -> None:
    truth, _ = setting(7)
    asked = np.array([np.arange(PEOPLE) <= i for i in range(PEOPLE)])
    exact = Answered(asked, asked @ truth.astype(float))
    assert KNOWN["differencing"](exact, Case(members=truth)).success.value == pytest.approx(1)
    noise = np.random.default_rng(8).laplace(0, PEOPLE, PEOPLE)
    noisy = KNOWN["differencing"](Answered(asked, exact.answers + noise), Case(members=truth))
    assert noisy.success.low < 0.55


def test_questions_that_never_meet_expose_nobody() -> None:
    truth, asked = setting(9)
    once = Answered(asked[:10], (asked[:10] @ truth.astype(float)))
    with pytest.raises(NoPower, match="differ in one person"):
        KNOWN["differencing"](once, Case(members=truth))
    with pytest.raises(NoPower, match="answered twice"):
        KNOWN["averaging"](once, Case(members=truth))


def test_repeated_answers_average_out_unless_they_are_the_same_answer() -> None:
    truth, asked = setting(10)
    draw = np.random.default_rng(11)
    rows = np.repeat(asked[:5], 400, axis=0)
    exact = rows @ truth.astype(float)
    fresh = KNOWN["averaging"](Answered(rows, exact + draw.laplace(0, 2, len(rows))), Case(members=truth))
    assert fresh.success.value >= 0.8
    stored = KNOWN["averaging"](
        Answered(rows, exact + np.repeat(draw.laplace(0, 2, 5) + 1.5, 400)), Case(members=truth)
    )
    assert stored.success.value <= 0.4


def test_a_limit_on_small_subsets_is_walked_around() -> None:
    truth, _ = setting(12)

    def limited(mask: np.ndarray) -> float | None:
        return float(truth[mask].sum()) if 10 <= mask.sum() <= PEOPLE - 10 else None

    alone = np.zeros(PEOPLE, bool)
    alone[0] = True
    assert limited(alone) is None
    assert track(limited, PEOPLE, 0) == pytest.approx(float(truth[0]))
    found = KNOWN["tracker"](None, Case(members=truth, settings={"oracle": limited}))
    assert found.success.value == pytest.approx(1)
    assert track(lambda mask: None, PEOPLE, 0) is None


@pytest.mark.parametrize("prior", [0.5, 0.1, 0.9])
def test_the_bound_on_secrets_told_right(prior: float) -> None:
    """Without a promise nothing is bounded; with a tiny epsilon the blind guess is the best."""
    assert most_right(KAnonymity(5), prior) is None
    assert most_right(PureDP("0.000001"), prior) == pytest.approx(max(prior, 1 - prior), abs=1e-3)
    assert most_right(PureDP("0.5"), 0.5) == pytest.approx(np.e / (1 + np.e), abs=1e-3)
    assert most_right(ApproxDP(20, 1e-3), prior) == pytest.approx(1)


def test_refused_answers_are_left_out_and_shapes_are_checked() -> None:
    truth, asked = setting(13)
    answered = ask(lambda mask: None if mask[0] else float(truth[mask].sum()), asked)
    assert np.isnan(answered.answers).any()
    found = KNOWN["reconstruction"](answered, Case(members=truth))
    assert found.success.value >= (PEOPLE - 1) / PEOPLE
    with pytest.raises(BadAttack, match="shapes"):
        Answered(asked, np.zeros(3))
    with pytest.raises(BadAttack, match="yes or no"):
        KNOWN["reconstruction"](answered, Case(members=np.arange(PEOPLE)))


@pytest.mark.parametrize("questions", [5, 12, 40])
def test_few_and_many_questions_are_differenced_alike(questions: int) -> None:
    from privet.attacks.statistics._differencing import _means, _neighbours, _pairs

    rng = np.random.default_rng(questions)
    asked = rng.random((questions, 4)) < 0.6
    means = _means(Answered(asked, rng.random(questions)))
    few, many = _pairs(means), _neighbours(means)
    assert {person: sorted(found) for person, found in few.items()} == {
        person: sorted(found) for person, found in many.items()
    }

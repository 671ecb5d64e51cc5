"""The frontier and its knee: against the plain definition, in any order, with ties and overlapping intervals."""

from hypothesis import given
from hypothesis import strategies as st

from privet.artifact._risk_estimate import IntervalEstimate
from privet.pipeline._pareto_frontier import Spot, alike, beats, frontier, knee, overlap


def spot(
    utility: float,
    risk: float,
    family: str = "",
    allowed: float | None = None,
    wide: float = 0.0,
    **more: bool,
) -> Spot:
    return Spot(
        IntervalEstimate(utility, utility - wide, utility + wide),
        IntervalEstimate(risk, risk - wide, risk + wide),
        family,
        allowed,
        **more,
    )


COARSE = st.integers(0, 8).map(lambda number: number / 8)  # few values, so that ties are common
FREE = st.lists(st.builds(spot, COARSE, COARSE, wide=COARSE), max_size=12)
PROMISED = st.lists(
    st.builds(
        spot,
        COARSE,
        COARSE,
        st.sampled_from(["train", "anonymize"]),
        st.one_of(st.none(), COARSE),
        COARSE,
        proposable=st.booleans(),
        useful=st.booleans(),
    ),
    max_size=12,
)


@given(FREE)
def test_without_promises_it_is_the_pareto_frontier(spots: list[Spot]) -> None:
    plain = [
        at
        for at, one in enumerate(spots)
        if not any(
            (other.utility.value, -other.risk.value)
            != (one.utility.value, -one.risk.value)  # exact: figures as given
            and other.utility.value >= one.utility.value
            and other.risk.value <= one.risk.value
            for other in spots
        )
    ]
    assert list(frontier(spots)) == plain


@given(PROMISED)
def test_nothing_on_it_is_beaten_and_everything_else_is(spots: list[Spot]) -> None:
    found = frontier(spots)
    able = [one for one in spots if one.proposable]
    assert bool(found) == bool(able)
    for at, one in enumerate(spots):
        beaten = any(beats(other, one) for other in able)
        assert (at in found) == (one.proposable and not beaten)


@given(PROMISED, st.randoms(use_true_random=False))
def test_the_order_of_points_decides_nothing(spots: list[Spot], random: object) -> None:
    order = list(range(len(spots)))
    random.shuffle(order)  # type: ignore[attr-defined]
    mixed = [spots[at] for at in order]
    assert sorted(order[at] for at in frontier(mixed)) == list(frontier(spots))
    one, other = knee(spots, 0.25), knee(mixed, 0.25)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert spots[one.index].utility.value == mixed[other.index].utility.value  # exact: figures as given
        assert spots[one.index].risk.value == mixed[other.index].risk.value  # exact: figures as given


@given(PROMISED)
def test_beating_is_strict_and_never_mutual(spots: list[Spot]) -> None:
    for one in spots:
        assert not beats(one, one)
        for other in spots:
            assert not (beats(one, other) and beats(other, one))


@given(PROMISED)
def test_a_knee_is_on_the_frontier_and_among_those_it_was_chosen_from(spots: list[Spot]) -> None:
    found = knee(spots, 0.25)
    if found is None:
        assert frontier(spots) == ()
        return
    assert found.index in frontier(spots)
    assert found.index in found.chosen_from
    assert found.alike == alike(spots, found.index)
    assert found.index not in found.alike


@given(FREE.filter(lambda spots: len(spots) > 0))
def test_a_useless_and_risky_point_changes_nothing(spots: list[Spot]) -> None:
    more = [*spots, spot(-1.0, 2.0)]
    assert frontier(more) == frontier(spots)
    assert knee(more, 0.0).index == knee(spots, 0.0).index  # type: ignore[union-attr]


def test_the_knee_of_a_bent_curve_is_its_bend() -> None:
    spots = [spot(0.6, 0.05), spot(0.7, 0.1), spot(0.72, 0.5), spot(0.75, 1.0)]
    assert frontier(spots) == (0, 1, 2, 3)
    found = knee(spots, 0.5)
    assert found is not None
    assert (found.index, found.by_promise, found.chosen_from) == (1, False, (0, 1, 2, 3))
    # From nothing (no risk, 0.5) to the end (1, 0.75): 0.35, 0.7, 0.38 and 0 above the line between them.


def test_what_cannot_be_relied_on_does_not_count() -> None:
    sure, lucky = spot(0.68, 0.1, wide=0.01), spot(0.7, 0.05, wide=0.19)
    assert frontier([sure, lucky]) == (1,)
    end = spot(0.9, 0.6, wide=0.01)
    other = spot(0.7, 0.04, "other", wide=0.0)
    assert knee([other, lucky, end], 0.5).index == 0  # type: ignore[union-attr]


def test_a_curve_that_only_bends_the_other_way_ends_in_its_most_useful_point() -> None:
    found = knee([spot(0.52, 0.3), spot(0.56, 0.6), spot(0.9, 1.0)], 0.5)
    assert found is not None
    assert found.index == 2


def test_one_point_equal_points_straight_lines_and_no_use_give_the_safest() -> None:
    for spots in (
        [spot(0.6, 0.3)],
        [spot(0.6, 0.3), spot(0.6, 0.3)],
        [spot(0.6, 0.1), spot(0.7, 0.2), spot(0.8, 0.3)],
        [spot(0.1, 0.1), spot(0.2, 0.2)],
        [spot(0.6, 0.0), spot(0.6, 0.0)],
    ):
        found = knee(spots, 0.5)
        assert found is not None
        assert found.index == 0
    assert knee([], 0.5) is None
    assert knee([spot(0.9, 0.1, proposable=False)], 0.5) is None


def test_luck_against_attacks_does_not_drive_out_a_stronger_promise() -> None:
    weak, strong = spot(0.8, 0.01, "train", 0.99), spot(0.7, 0.02, "train", 0.4)
    assert not beats(weak, strong)
    assert frontier([weak, strong]) == (0, 1)
    assert beats(spot(0.7, 0.02, "train", 0.1), strong)  # the same figures under a stronger promise


def test_across_families_only_a_risk_that_is_lower_beyond_doubt_drives_out() -> None:
    private = spot(0.7, 0.02, "train", 0.4, wide=0.03)
    lucky, surely = spot(0.75, 0.0, "anonymize", 0.04, wide=0.1), spot(0.65, 0.9, "anonymize", 0.2, wide=0.01)
    assert not beats(lucky, private)
    assert beats(private, surely)
    assert frontier([private, lucky, surely]) == (0, 1)


def test_where_attacks_find_no_difference_promises_decide() -> None:
    allowed = (0.05, 0.24, 0.46, 0.76, 0.96, 0.999)
    utilities = (0.52, 0.66, 0.70, 0.71, 0.715, 0.72)
    spots = [
        spot(u, 0.01 * (at % 3), "train", a, wide=0.022)
        for at, (u, a) in enumerate(zip(utilities, allowed, strict=True))
    ]
    spots.append(spot(0.73, 0.95, "anonymize", 0.2, wide=0.01))
    found = knee(spots, 0.5)
    assert found is not None
    assert found.by_promise
    assert found.index == 1
    assert found.alike == (2,)  # 0.66 and 0.70 are within reach of each other; 0.52 and 0.71 are not


def test_what_may_be_no_better_than_guessing_is_proposed_only_where_nothing_else_is_left() -> None:
    useless, useful = spot(0.55, 0.0, "train", 0.2, useful=False), spot(0.7, 0.0, "train", 0.8)
    assert frontier([useless, useful]) == (0, 1)
    assert knee([useless, useful], 0.5).index == 1  # type: ignore[union-attr]
    assert knee([useless], 0.5).index == 0  # type: ignore[union-attr]


def test_intervals_that_touch_overlap() -> None:
    assert overlap(IntervalEstimate(1, 0, 2), IntervalEstimate(3, 2, 4))
    assert not overlap(IntervalEstimate(1, 0, 2), IntervalEstimate(3, 2.1, 4))

"""The verifier of written files alone: for every model the file at the boundary passes, and the one just beyond fails.

Nothing of the search takes part, so a promise that the search keeps by habit cannot hide a check that was lost.
"""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from privet.disclosure.diversity_measures import delta_disclosure
from privet.errors import PromiseBroken
from privet.guarantee._promise_registry import (
    AllOf,
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    PopulationUniqueness,
    PureDP,
    RiskThreshold,
    TCloseness,
)
from privet.protect._file_counts import COUNT
from privet.protect._residual_risk import RiskView
from privet.protect.anonymize._population import Crowd
from privet.protect.anonymize._promise_verification import OriginalShares, check, written

# How a sensitive column is spread over the original table, and a hierarchy of its values: (a b) (c d) below the root.
VALUES = ("a", "b", "c", "d")
EVEN = (0.25, 0.25, 0.25, 0.25)
BRANCHES = np.array([[0, 0], [0, 0], [1, 0], [1, 0]])
# A class with two rows of each value is as the table; `SKEWED` has three of the first and one of the last.
BALANCED, SKEWED = (2, 2, 2, 2), (3, 2, 2, 1)


def file(*classes, shares=EVEN, levels=None, people=None, missing="own value", gap=False):
    """A file whose classes hold so many rows of each value; class i is called i, the last one nothing with `gap`."""
    names = [str(number) for number in range(len(classes))]
    if gap:
        names[-1] = None
    rows = [
        (name, value, count)
        for name, held in zip(names, classes, strict=True)
        for value, count in zip(VALUES, held, strict=False)
        if count
    ]
    quasi, sensitive, counts = zip(*rows, strict=True) if rows else ((), (), ())
    table = pa.table(
        {
            "zip": pa.array(quasi, pa.string()),
            "illness": pa.array(sensitive, pa.string()),
            COUNT: pa.array(counts, pa.int64()),
        }
    )
    reference = OriginalShares(pa.array(VALUES), np.array(shares), levels)
    crowd = (
        None if people is None else Crowd({(name,): n for name, n in people.items()}, sum(people.values()))
    )
    return written(table, RiskView(["zip"], ["illness"], missing), {"illness": reference}, crowd)


def keeps(found, promise):
    check(found, promise)


def breaks(found, promise, *words):
    with pytest.raises(PromiseBroken) as broken:
        check(found, promise)
    for word in (*words, *([] if words else ["nothing was published"])):
        assert word in broken.value.fact


# --- rows that look alike -----------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 5, 12])
def test_the_smallest_class_decides_about_k(k):
    for rows, holds in ((k + 1, True), (k, True), (k - 1, False)):
        found = file((k, k), (rows,))
        if holds:
            keeps(found, KAnonymity(k))
        else:
            breaks(found, KAnonymity(k), f"has a class of {k - 1} rows, and {k} were promised")


def test_people_are_counted_where_they_have_several_rows():
    for owners, holds in ((("x", "y", "z"), True), (("x", "y", "y"), False)):
        table = pa.table({"zip": ["1"] * 3, "illness": ["a", "b", "c"], "who": owners, COUNT: [4, 4, 4]})
        reference = {"illness": OriginalShares(pa.array(VALUES), np.array(EVEN))}
        found = written(table, RiskView(["zip"], ["illness"], persons="who"), reference)
        keeps(found, LDiversity("illness", 3))
        for promise in (KAnonymity(3), RiskThreshold(highest=Fraction(1, 3))):
            if holds:
                keeps(found, promise)
            else:
                breaks(found, promise)
        for promise in (
            RiskThreshold(average="0.5"),
            TCloseness("illness", "0.9"),
            LDiversity("illness", 2, "entropy"),
            AlphaK("illness", 1, 2),
        ):
            breaks(found, promise, "speaks of shares of rows")
        if not holds:
            breaks(found, KAnonymity(3), "has a class of 2 people, and 3 were promised")


@pytest.mark.parametrize("rows", [4, 5])
def test_the_highest_risk_is_one_over_the_smallest_class(rows):
    found = file((9, 9), (rows,))
    keeps(found, RiskThreshold(highest=Fraction(1, rows)))
    keeps(found, RiskThreshold(highest="0.3"))
    breaks(found, RiskThreshold(highest=Fraction(1, rows) - Fraction(1, 10**9)), "risk is above the highest")


def test_the_mean_risk_is_classes_over_rows():
    found = file((5, 5), (7,), (3,))  # 3 classes of 20 rows
    mean = Fraction(3, 20)
    keeps(found, RiskThreshold(average=mean))
    breaks(found, RiskThreshold(average=mean - Fraction(1, 10**9)), "mean risk")
    breaks(found, RiskThreshold(average=mean / 2), "mean risk")
    keeps(found, RiskThreshold(highest=Fraction(1, 3), average=mean))
    breaks(found, RiskThreshold(highest=Fraction(1, 4), average=mean), "highest")
    breaks(found, RiskThreshold(highest=Fraction(1, 3), average=mean / 2), "mean risk")


# --- what a class says about a sensitive value --------------------------------------------------

# Each line: a promise that the class just keeps, and one that it just breaks.
RATIO = Fraction(3, 5)  # of SKEWED: 3 / (2 + 2 + 1) for l = 2
MEASURES = {
    "distinct": (
        (3, 2, 2, 0),
        LDiversity("illness", 3),
        LDiversity("illness", 4),
    ),
    "entropy of equal shares": (
        (2, 2, 2, 0),
        LDiversity("illness", 3, "entropy"),
        LDiversity("illness", 4, "entropy"),
    ),
    "entropy below the number of values": (
        (3, 2, 2, 0),
        LDiversity("illness", 2, "entropy"),
        LDiversity("illness", 3, "entropy"),
    ),
    "recursive": (
        SKEWED,
        LDiversity("illness", 2, "recursive", RATIO + Fraction(1, 10**6)),
        LDiversity("illness", 2, "recursive", RATIO),
    ),
    "recursive, a shorter tail": (
        SKEWED,
        LDiversity("illness", 3, "recursive", 1 + Fraction(1, 10**6)),
        LDiversity("illness", 3, "recursive", 1),
    ),
    "t, equal": (SKEWED, TCloseness("illness", "0.125"), TCloseness("illness", "0.124999")),
    "t, ordered": (
        SKEWED,
        TCloseness("illness", "0.125", "ordered"),
        TCloseness("illness", "0.124999", "ordered"),
    ),
    "t, hierarchical": (
        SKEWED,
        TCloseness("illness", "0.125", "hierarchical"),
        TCloseness("illness", "0.124999", "hierarchical"),
    ),
    "beta": (SKEWED, BetaLikeness("illness", "0.5"), BetaLikeness("illness", "0.499999")),
    "beta, enhanced": (
        SKEWED,
        BetaLikeness("illness", "0.5", "enhanced"),
        BetaLikeness("illness", "0.499999", "enhanced"),
    ),
    "delta": (
        SKEWED,
        DeltaDisclosure("illness", Fraction(math.log(2)) + Fraction(1, 10**6)),
        DeltaDisclosure("illness", Fraction(math.log(2)) - Fraction(1, 10**6)),
    ),
    "delta, absent values skipped or refused": (
        (3, 3, 3, 0),
        DeltaDisclosure("illness", "0.3", "skip"),
        DeltaDisclosure("illness", "0.3", "refuse"),
    ),
    "alpha": (SKEWED, AlphaK("illness", "0.375", 8), AlphaK("illness", "0.374999", 8)),
    "alpha, k": (SKEWED, AlphaK("illness", "0.375", 8), AlphaK("illness", "0.375", 9)),
}


@pytest.mark.parametrize("name", MEASURES)
def test_a_class_at_the_boundary_passes_and_one_just_beyond_does_not(name):
    held, kept, broken = MEASURES[name]
    found = file(BALANCED, held, BALANCED, levels=BRANCHES)
    keeps(found, kept)
    breaks(found, broken, "the written file has a class", "nothing was published")
    # The worst class decides, wherever it stands among the others, and a promise beside it changes nothing.
    breaks(file(held, BALANCED, levels=BRANCHES), AllOf((KAnonymity(2), broken)))
    keeps(file(held, BALANCED, levels=BRANCHES), AllOf((KAnonymity(2), kept)))


def test_distances_along_an_order_or_a_hierarchy_are_not_those_of_equal_values():
    """Rows moved to the neighbouring value cost less than rows moved across, by each distance's own measure."""
    near, across = file((3, 1, 2, 2), levels=BRANCHES), file((3, 2, 1, 2), levels=BRANCHES)
    for found, ordered, hierarchical in ((near, "0.0416667", "0.0625"), (across, "0.0833334", "0.125")):
        keeps(found, TCloseness("illness", "0.125", "equal"))
        keeps(found, TCloseness("illness", ordered, "ordered"))
        breaks(found, TCloseness("illness", Fraction(ordered) - Fraction(1, 10**6), "ordered"))
        keeps(found, TCloseness("illness", hierarchical, "hierarchical"))
        breaks(found, TCloseness("illness", Fraction(hierarchical) - Fraction(1, 10**6), "hierarchical"))


def test_enhanced_beta_bounds_frequent_values_by_their_share():
    shares = (0.7, 0.1, 0.1, 0.1)  # -ln 0.7 = 0.357, and the gain of the first value is 3/7 = 0.429
    found = file((10, 0, 0, 0), shares=shares)
    keeps(found, BetaLikeness("illness", "0.43"))
    breaks(found, BetaLikeness("illness", "0.43", "enhanced"))


def test_delta_disclosure_must_stay_below_its_bound():
    """Brickell and Shmatikov ask for less than delta: a class that reaches it breaks the promise."""
    found = file(SKEWED)
    reached = float(delta_disclosure(found.cells("illness")).max())
    breaks(found, DeltaDisclosure("illness", Fraction(reached)))
    keeps(found, DeltaDisclosure("illness", Fraction(math.nextafter(reached, 1))))


def test_a_distance_along_a_hierarchy_needs_one():
    breaks(file(BALANCED), TCloseness("illness", 1, "hierarchical"), "has no hierarchy of 'illness'")


def test_shares_are_those_of_the_original_table_and_not_of_the_file():
    """What is left after suppression may be skewed as a whole: compared with itself it would look even."""
    found = file(SKEWED, SKEWED)
    breaks(found, TCloseness("illness", "0.1"))
    keeps(file(SKEWED, SKEWED, shares=(0.375, 0.25, 0.25, 0.125)), TCloseness("illness", "0.000001"))


def test_a_missing_sensitive_value_is_a_value_like_any_other():
    table = pa.table({"zip": ["1", "1"], "illness": pa.array(["a", None]), COUNT: [5, 5]})
    reference = {"illness": OriginalShares(pa.array(["a", None]), np.array([0.5, 0.5]))}
    found = written(table, RiskView(["zip"], ["illness"]), reference)
    keeps(found, LDiversity("illness", 2))
    breaks(found, LDiversity("illness", 3))


def test_values_that_the_table_never_had_are_found():
    table = pa.table({"zip": ["1", "1"], "illness": ["a", "made up"], COUNT: [5, 5]})
    reference = {"illness": OriginalShares(pa.array(VALUES), np.array(EVEN))}
    found = written(table, RiskView(["zip"], ["illness"]), reference)
    breaks(found, LDiversity("illness", 2), "holds values that the table never had")


# --- the population -----------------------------------------------------------------------------


def test_k_map_counts_the_people_who_fit_each_class():
    for people, holds in (({"0": 9, "1": 5}, True), ({"0": 9, "1": 4}, False), ({"0": 9}, False)):
        found = file((2,), (3,), people=people)
        if holds:
            keeps(found, KMap(5))
        else:
            breaks(
                found, KMap(5), f"only {people.get('1', 0)} people of the population fit", "5 were promised"
            )
    breaks(file((9,)), KMap(5), "speaks of a population, and none was given")


@pytest.mark.parametrize(("estimate", "needed"), [("poisson", 3), ("zero-truncated-poisson", 4)])
def test_estimated_k_map_asks_for_enough_rows(estimate, needed):
    """Of 10 people a tenth was drawn: a Poisson variable of mean 1 reaches 3 with 8.0 %, and 12.7 % if it is not 0."""
    promise = KMap(10, estimate, sampling_fraction="0.1", significance="0.1")
    keeps(file((20,), (needed,)), promise)
    breaks(
        file((20,), (needed - 1,)),
        promise,
        f"a class of {needed - 1} rows, and the estimate asks for {needed}",
    )


def test_presence_is_bounded_on_both_sides():
    people = {"0": 10, "1": 20}
    found = file((4,), (5,), people=people)  # shares of 0.4 and 0.25
    keeps(found, DeltaPresence("0.25", "0.4"))
    breaks(found, DeltaPresence("0.25", "0.399999"), "too surely, or too rarely")
    breaks(found, DeltaPresence("0.250001", "0.4"), "too surely, or too rarely")
    breaks(found, DeltaPresence(0, "0.399999"), "too surely, or too rarely")
    breaks(file((4,)), DeltaPresence(0, 1), "none was given")


def test_people_who_are_left_out_are_known_to_be_absent():
    missing = file((4,), (5,), people={"0": 10, "1": 20, "nowhere": 1})
    keeps(missing, DeltaPresence(0, "0.4"))
    breaks(missing, DeltaPresence("0.25", "0.4"), "leaves out people of the population")


def test_a_class_that_nobody_fits_is_no_class_of_the_population():
    breaks(file((4,), (1,), people={"0": 10}), DeltaPresence(0, 1), "nobody of the population fits")


def test_uniqueness_in_the_population_is_estimated_from_the_file():
    """A sample that is the population: the share of unique rows itself. Otherwise, the estimate of the model."""
    found = file((1,), (1,), (8,))  # 2 of 10 rows
    keeps(found, PopulationUniqueness("0.2", 1))
    breaks(found, PopulationUniqueness("0.199999", 1), "unique in the population")
    keeps(file((2,), (8,)), PopulationUniqueness(0, "0.1"))


@pytest.mark.parametrize("model", ["zayatz", "dankar", "pitman", "snb"])
def test_each_model_of_the_population_bounds_its_own_estimate(model):
    from privet.disclosure._equivalence_classes import class_sizes
    from privet.disclosure._population_uniqueness import population

    sizes = [1] * 30 + [2] * 12 + [3] * 6 + [5] * 3 + [9]
    share = getattr(population(class_sizes(sizes), 0.3), model).share
    found = file(*((size,) for size in sizes))
    if share is None:
        breaks(found, PopulationUniqueness("0.999999", "0.3", model), "unique in the population")
        return
    keeps(found, PopulationUniqueness(Fraction(share) + Fraction(1, 10**6), "0.3", model))
    breaks(found, PopulationUniqueness(max(Fraction(0), Fraction(share) - Fraction(1, 10**6)), "0.3", model))


# --- what is measured at all --------------------------------------------------------------------


def test_a_row_with_a_gap_belongs_to_no_class_where_gaps_are_ignored():
    keeps(file((5,), (5,), gap=True), KAnonymity(5))
    breaks(file((5,), (5,), gap=True, missing="ignored"), KAnonymity(5), "belongs to no class")
    keeps(file((5,), (5,), missing="ignored"), KAnonymity(5))


def test_a_gap_matches_everything_where_it_is_a_wildcard():
    keeps(file((5,), (2,), gap=True, missing="wildcard"), KAnonymity(7))
    breaks(file((5,), (2,), gap=True, missing="wildcard"), KAnonymity(8))
    breaks(file((5,), (2,), gap=True), KAnonymity(3))


def test_an_empty_file_breaks_nothing_that_can_be_measured():
    for missing in ("own value", "ignored"):
        keeps(file(missing=missing), AllOf((KAnonymity(5), LDiversity("illness", 2))))


def test_a_promise_without_a_measure_is_not_taken_on_trust():
    for found in (file((9,)), file()):
        breaks(found, PureDP(1), "PureDP cannot be measured on a written file")
        breaks(found, AllOf((KAnonymity(2), PureDP(1))), "PureDP cannot be measured")

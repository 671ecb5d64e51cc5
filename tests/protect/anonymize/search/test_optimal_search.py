"""Optimal search: published optima of the adult data set, brute force on small tables, and laws."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.protect.anonymize.adult_tables import adult, adult_subset
from tests.protect.anonymize.search.illnesses import coded, ill, ladders_of, sensitive, tables

from privet.errors import Unreachable
from privet.guarantee._promise_registry import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    RiskThreshold,
    TCloseness,
)
from privet.protect.anonymize._promise_rules import rules_of
from privet.protect.anonymize.search import search
from privet.protect.anonymize.search._class_check import judge
from privet.protect.anonymize.search._distinct_tuples import Tuples
from privet.protect.anonymize.search._loss_metrics import METRICS, less, metric_named
from privet.protect.anonymize.search._search import _reference

JOB = "occupation"


# Optima found by ARX 3.9.2 on all nine columns with k = 5: metric, limit, value, suppressed rows, classes.
NINE_COLUMNS = [
    ("loss", "0", 0.6355438466888889, 0, 24),
    ("loss", "0.01", 0.40200110394444444, 294, 263),
    ("loss", "0.05", 0.26963466275555553, 1346, 397),
    ("loss", "1", 0.22770032318888891, 2553, 602),
    ("loss-geometric", "0", 0.5731509655590044, 0, 24),
    ("loss-geometric", "0.01", 0.36240672301036203, 294, 263),
    ("loss-geometric", "0.05", 0.2419323650662908, 1346, 397),
    ("loss-geometric", "1", 0.22041192847984292, 2553, 602),
    ("precision", "0", 0.6666666666666667, None, None),
    ("precision", "0.01", 0.48505723414549085, 208, 181),
    ("precision", "0.05", 0.36562562164312706, 1461, 391),
    ("precision", "1", 0.3119463538865435, 4100, 620),
    ("discernibility", "0", 33_627_534, 0, 45),
    ("discernibility", "0.01", 7_220_555, 105, 356),
    ("discernibility", "0.05", 7_220_555, 105, 356),
    ("discernibility", "1", 7_220_555, 105, 356),
    ("class-size", "0", 628.375, 0, 48),
    ("class-size", "0.01", 68.55, 301, 439),
    ("class-size", "0.05", 28.808022922636102, 906, 1046),
    ("class-size", "1", 16.321428571428573, 7185, 1847),
    ("entropy", "0", 407289.5388925293, 0, 48),
    ("entropy", "0.01", 307795.6763468402, 203, 393),
    ("entropy", "0.05", 264341.93830412335, 1285, 998),
    ("entropy", "1", 249855.10868148197, 3659, 1623),
]


@pytest.mark.real_data(twin="test_nothing_is_better_than_the_optimum")
@pytest.mark.parametrize(("metric", "limit", "value", "suppressed", "classes"), NINE_COLUMNS)
def test_published_optima_on_nine_columns(metric, limit, value, suppressed, classes):
    codes, ladders, _ = adult()
    found = search(codes, ladders, KAnonymity(5), max_suppressed=limit, metric=metric)
    assert found.value[0] == pytest.approx(value, rel=1e-9 if value > 1 else 0, abs=1e-9)
    assert found.optimal
    if suppressed is not None:  # the optimum is the only one
        assert (found.suppressed_rows, found.classes) == (suppressed, classes)


@pytest.mark.real_data(twin="test_nothing_is_better_than_the_optimum")
def test_the_published_optimum_by_rank():
    codes, ladders, _ = adult()
    found = search(codes, ladders, KAnonymity(5), max_suppressed="0.05", metric="loss-rank")
    expected = [
        1.0,
        0.3922153703,
        0.3140732352,
        0.3133033997,
        0.3022859889,
        0.2231311188,
        *[0.0386247596] * 3,
    ]
    assert found.value == pytest.approx(expected, abs=1e-9)
    assert found.suppressed_rows == 1165


@pytest.mark.real_data(twin="test_nothing_is_better_than_the_optimum")
@pytest.mark.parametrize(
    ("k", "limit", "value"),
    [
        (2, "0", 0.6036845478777777),
        *[(k, "0", 0.6355438466888889) for k in (3, 10, 25, 50)],
        (100, "0", 0.6985259654777779),
        (2, "0.05", 0.17526859642222226),
        (3, "0.05", 0.22191151559999997),
        (10, "0.05", 0.3178416058111111),
    ],
)
def test_published_optima_for_other_k(k, limit, value):
    codes, ladders, _ = adult()
    found = search(codes, ladders, KAnonymity(k), max_suppressed=limit)
    assert found.value[0] == pytest.approx(value, abs=1e-9)


# Loss at 0, 1 and 5 % suppression, with suppressed rows; sensitive column occupation.
SENSITIVE = [
    (None, (0.625, 0.34892742667500004, 0.1783389956), (0, 233, 1346)),
    (LDiversity(JOB, 2), (0.625, 0.34892742667500004, 0.1783389956), (0, 233, 1346)),
    (LDiversity(JOB, 3), (0.625, 0.349318865375, 0.1798769039), (0, 251, 1400)),
    (LDiversity(JOB, 5), (0.6791451163625, 0.37995268505, 0.23171644039999997), (0, 284, 1404)),
    (LDiversity(JOB, 2, "entropy"), (0.625, 0.349318865375, 0.180134787575), (0, 251, 1409)),
    (LDiversity(JOB, 5, "entropy"), (0.6791451163625, 0.46787897435, 0.37397262854999996), (0, 252, 1379)),
    (LDiversity(JOB, 3, "recursive", 4), (0.625, 0.35005949292500005, 0.21977268676249997), (0, 285, 1408)),
    (TCloseness(JOB, "0.2"), (0.9291451163625, 0.8396944347625, 0.8396944347625), (0, 235, 235)),
    (
        TCloseness(JOB, "0.2", "hierarchical"),
        (0.8041451163625, 0.7853012482499999, 0.674945813425),
        (0, 151, 1384),
    ),
    (TCloseness(JOB, "0.4"), (0.6791451163625, 0.59044499975, 0.45781845267499993), (0, 158, 1308)),
    (BetaLikeness(JOB, 1), (0.875, 0.875, 0.7909859674375), (0, 0, 931)),
    (BetaLikeness(JOB, 1, "enhanced"), (0.875, 0.875, 0.7909859674375), (0, 0, 931)),
    (BetaLikeness(JOB, 2), (0.8041451163625, 0.8041451163625, 0.6017795570500001), (0, 0, 987)),
    (BetaLikeness(JOB, 2, "enhanced"), (0.8041451163625, 0.8041451163625, 0.6017795570500001), (0, 0, 987)),
]


@pytest.mark.real_data(twin="test_nothing_is_better_than_the_optimum")
@pytest.mark.parametrize(("model", "values", "suppressed"), SENSITIVE)
def test_published_optima_with_a_sensitive_column(model, values, suppressed):
    codes, ladders, every = adult(JOB)
    promise = KAnonymity(5) if model is None else KAnonymity(5) & model
    for limit, value, rows in zip(("0", "0.01", "0.05"), values, suppressed, strict=True):
        found = search(codes, ladders, promise, max_suppressed=limit, sensitive_ladders=every)
        assert found.value[0] == pytest.approx(value, abs=1e-9)
        assert found.suppressed_rows == rows


@pytest.mark.real_data(twin="test_nothing_is_better_than_the_optimum")
def test_published_optima_with_salary_as_the_sensitive_column():
    codes, ladders, _ = adult("salary-class")
    promise = KAnonymity(5) & LDiversity("salary-class", 2)
    for limit, value in (("0", 0.6608417111625), ("0.01", 0.4854669616625), ("0.05", 0.3588243983375)):
        found = search(codes, ladders, promise, max_suppressed=limit)
        assert found.value[0] == pytest.approx(value, abs=1e-9)


# Optima that ARX's own tests expect of a tenth of the table, whose population is the table: eight columns without
# occupation; classes are counted among the rows of that tenth, people among all rows.
OF_A_TENTH = [
    (KMap(5), "0", "class-size", 45.014925373134325),
    (KMap(20), "0.05", "class-size", 11.424242424242424),
    (KMap(10), "0.05", "class-size", 7.215311004784689),
    (KMap(5), "0", "entropy", 28551.7222913157),
    (KMap(10), "0", "entropy", 30238.2081484441),
    (KMap(3), "0.05", "entropy", 15121.633326877098),
    (DeltaPresence(0, "0.2"), "0", "class-size", 52.0),
    (DeltaPresence(0, "0.2"), "0.05", "class-size", 8.02127659574468),
    (DeltaPresence("0.05", "0.15"), "0", "class-size", 150.8),
    (DeltaPresence("0.05", "0.15"), "0.05", "class-size", 97.29032258064517),
    (DeltaPresence(0, "0.2"), "0", "entropy", 30238.2081484441),
    (DeltaPresence(0, "0.2"), "0.05", "entropy", 20747.362350403302),
]


@pytest.mark.real_data(twin="test_classes_are_compared_with_the_population")
@pytest.mark.parametrize(("model", "limit", "metric", "value"), OF_A_TENTH)
def test_published_optima_with_a_population(model, limit, metric, value):
    everybody, ladders, _ = adult(JOB)
    found = search(adult_subset(), ladders, model, max_suppressed=limit, metric=metric, population=everybody)
    assert found.value[0] == pytest.approx(value, rel=1e-12)
    assert found.optimal


@pytest.mark.real_data(twin="test_estimated_k_map_is_k_anonymity_with_a_smaller_k")
@pytest.mark.parametrize(("k", "value"), [(3, 130804.5332092598), (1000, 151894.1394841501)])
def test_published_optima_of_estimated_k_map(k, value):
    """The table as a sample of the people of the United States (318 million in 2014)."""
    codes, ladders, _ = adult(JOB)
    promise = KMap(
        k, "zero-truncated-poisson", sampling_fraction=Fraction(30_162, 318_000_000), significance="0.01"
    )
    found = search(codes, ladders, promise, max_suppressed="0.05", metric="entropy")
    assert found.value[0] == pytest.approx(value, rel=1e-12)


@pytest.mark.real_data(twin="test_few_nodes_of_a_made_up_table_are_needed_for_proof")
def test_few_nodes_are_needed_for_proof():
    codes, ladders, _ = adult()
    # ARX checks 181, 1,090, 1,050 and 3,449 of the 12,960 nodes.
    for limit, most in (("0", 181), ("0.01", 1090), ("0.05", 1050), ("1", 3449)):
        assert search(codes, ladders, KAnonymity(5), max_suppressed=limit).nodes_evaluated <= most


MODELS = [
    KAnonymity(2),
    KAnonymity(3) & LDiversity("ill", 2),
    KAnonymity(2) & LDiversity("ill", 2, "entropy"),
    KAnonymity(2) & LDiversity("ill", 2, "recursive", 2),
    KAnonymity(2) & TCloseness("ill", "0.4"),
    KAnonymity(2) & TCloseness("ill", "0.4", "ordered"),
    KAnonymity(2) & TCloseness("ill", "0.4", "hierarchical"),
    KAnonymity(2) & BetaLikeness("ill", 1),
    KAnonymity(2) & BetaLikeness("ill", 1, "enhanced"),
    KAnonymity(2) & DeltaDisclosure("ill", 1),
    KAnonymity(2) & DeltaDisclosure("ill", 2, "refuse"),
    AlphaK("ill", "0.7", 2),
    RiskThreshold(highest="0.5", average="0.3"),
]


def brute_force(codes, promise, metric, limit):
    """The least cost of all nodes, each looked at by itself."""
    ladders = ladders_of()
    rules = rules_of(promise, _reference(codes, ["letter", "digit", "coin"], sensitive(promise), ill()))
    tuples = Tuples(codes, ladders, sensitive(promise))
    measure = metric_named(metric, tuples)
    best = None
    for node in range(len(tuples.lattice)):
        classes = tuples.classes(tuples.lattice.levels(node))
        verdict = judge(tuples, classes, rules)
        cost = measure.cost(classes, verdict)
        value = measure.score(cost.base + cost.penalty)
        if classes.sizes[verdict.suppressed].sum() <= limit and (best is None or less(value, best)):
            best = value
    return best


@pytest.mark.parametrize("promise", MODELS, ids=lambda promise: str(type(promise).__name__))
@settings(max_examples=12, deadline=None)
@given(rows=tables, metric=st.sampled_from(sorted(METRICS)), share=st.sampled_from(["0", "0.1", "0.3", "1"]))
def test_nothing_is_better_than_the_optimum(promise, rows, metric, share):
    codes = coded(rows)
    expected = brute_force(codes, promise, metric, int(Fraction(share) * codes.rows))
    try:
        found = search(
            codes, ladders_of(), promise, max_suppressed=share, metric=metric, sensitive_ladders=ill()
        )
    except Unreachable:
        assert expected is None or not np.isfinite(expected).all()
        return
    assert expected is not None
    assert found.value == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert found.optimal


def test_few_nodes_of_a_made_up_table_are_needed_for_proof():
    rows = [(at % 4, at % 3, at % 2, 0) for at in range(48)]
    assert search(coded(rows), ladders_of(), KAnonymity(30)).nodes_evaluated <= 9, "half of the 18 there are"


@settings(max_examples=25, deadline=None)
@given(rows=tables, k=st.integers(2, 3))
def test_laws_of_optima(rows, k):
    codes = coded(rows)

    def loss(k, limit, order=(0, 1, 2)):
        ladders = ladders_of()
        try:
            return search(codes, [ladders[j] for j in order], KAnonymity(k), max_suppressed=limit).loss
        except Unreachable:
            return np.inf

    assert loss(k, "0.2") <= loss(k + 1, "0.2") + 1e-12
    assert loss(k, "0.5") <= loss(k, "0.1") + 1e-12
    assert loss(k, "0.2") == pytest.approx(loss(k, "0.2", (2, 0, 1)))

"""The calculator's language: what it reads, what it refuses and where, and the way back."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import BadAmount, BadNotation
from privet.guarantee import _events as ev
from privet.guarantee._calculator_notation import parse, parse_with_unknown, unparse
from privet.guarantee._calculator_vocabulary import in_words

# --- reading ---


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("laplace(scale=10)", ev.Laplace(10)),
        ("laplace(10)", ev.Laplace(10)),
        ("laplace(10, 2)", ev.Laplace(10, 2)),
        ("laplace(10, sensitivity=2)", ev.Laplace(10, 2)),
        ("laplace(sensitivity=2, scale=10)", ev.Laplace(10, 2)),
        ("discrete_laplace(scale=10, sensitivity=3)", ev.DiscreteLaplace(10, 3)),
        ("gaussian(sigma=1.5)", ev.Gaussian("1.5")),
        ("gaussian(sigma=1/3)", ev.Gaussian(Fraction(1, 3))),
        ("gaussian(sigma=.5)", ev.Gaussian("0.5")),
        ("gaussian(sigma=1.5/3e0)", ev.Gaussian("0.5")),
        ("discrete_gaussian(sigma=4, sensitivity=2, coordinates=3)", ev.DiscreteGaussian(4, 2, 3)),
        ("randomized_response(p=0.5, buckets=4)", ev.RandomizedResponse("0.5", 4)),
        ("exponential(epsilon=1e-1)", ev.Exponential("0.1")),
        ("permute_and_flip(epsilon=0.1)", ev.PermuteAndFlip("0.1")),
        ("thresholded_keys(scale=1, threshold=1e1, keys=2)", ev.ThresholdedKeys(1, 10, 2)),
        ("opaque(epsilon=1, delta=1e-6)", ev.Opaque(1, "1e-6")),
        ("opaque(1)", ev.Opaque(1)),
        ("zcdp(rho=0.1)", ev.ZeroConcentrated("0.1")),
        ("sealed_plan(delta=1e-6, laplace(1))", ev.SealedPlan(ev.Laplace(1), "1e-6")),
    ],
)
def test_reads_each_mechanism_exactly(text, event):
    assert parse(text) == event


@pytest.mark.parametrize("times", ["x", "X", "*", "×"])
@pytest.mark.parametrize(
    "spaced", ["100 {} laplace(scale=10)", "100{}laplace(scale=10)", " 100\t{}\nlaplace( scale = 10 ) "]
)
def test_every_times_sign_repeats_with_and_without_spaces(times, spaced):
    assert parse(spaced.format(times)) == ev.Repeated(ev.Laplace(10), 100)


def test_sampled_rounds_are_fresh_samples():
    inside = parse("poisson(q=0.01, 1000 x gaussian(sigma=1.0))")
    outside = parse("1000 x poisson(q=0.01, gaussian(sigma=1))")
    assert inside == outside == ev.Repeated(ev.PoissonSampled("0.01", ev.Gaussian(1)), 1000)
    assert parse("poisson(0.01, gaussian(1))") == ev.PoissonSampled("0.01", ev.Gaussian(1))
    truncated = parse("truncated_poisson(q=0.1, batch=20, size=100, 5 x gaussian(2))")
    assert truncated == ev.Repeated(ev.TruncatedPoissonSampled("0.1", 20, 100, ev.Gaussian(2)), 5)


def test_a_plan_holds_what_is_written_in_it():
    plan = parse("sealed_plan(delta=1e-6, 3 x laplace(1) + gaussian(2))")
    assert plan == ev.SealedPlan(ev.Composed([ev.Repeated(ev.Laplace(1), 3), ev.Gaussian(2)]), "1e-6")
    assert parse("sealed_plan(1e-6, 3 x laplace(1))") == ev.SealedPlan(ev.Repeated(ev.Laplace(1), 3), "1e-6")


def test_plus_composes_and_parentheses_group():
    assert parse("laplace(1) + gaussian(2)") == ev.Composed([ev.Laplace(1), ev.Gaussian(2)])
    assert parse("3 x (laplace(1) + gaussian(2))") == ev.Repeated(
        ev.Composed([ev.Laplace(1), ev.Gaussian(2)]), 3
    )
    assert parse("(laplace(1))") == ev.Laplace(1)


def test_several_texts_compose():
    template = parse_with_unknown(["2 x laplace(1)", "gaussian(2)"])
    assert template.unknown is None
    assert template.event() == ev.Composed([ev.Repeated(ev.Laplace(1), 2), ev.Gaussian(2)])


# --- one unknown ---


def test_what_is_not_solved_for_has_no_unknown():
    text = "3 x laplace(scale=?)"
    with pytest.raises(BadNotation, match="scale is '\\?', and nothing says what to solve for") as caught:
        parse(text)
    assert caught.value.details["position"] == text.index("?")


def test_errors_name_the_argument():
    with pytest.raises(BadNotation) as caught:
        parse_with_unknown(["laplace(1)", "gaussian(0)"])
    assert caught.value.details["argument"] == 2
    with pytest.raises(BadNotation):
        parse_with_unknown([])


@pytest.mark.parametrize(
    ("texts", "value", "event", "safer"),
    [
        (["laplace(scale=?)"], 3, ev.Laplace(3), True),
        (["laplace(?)"], Fraction(1, 3), ev.Laplace(Fraction(1, 3)), True),
        (["? x gaussian(sigma=20)"], 7, ev.Repeated(ev.Gaussian(20), 7), False),
        (["poisson(q=?, 5 x gaussian(1))"], Fraction(1, 8), ev.Repeated(ev.PoissonSampled("0.125", ev.Gaussian(1)), 5), False),
        (["poisson(0.1, ? x gaussian(1))"], 9, ev.Repeated(ev.PoissonSampled("0.1", ev.Gaussian(1)), 9), False),
        (["poisson(0.1, gaussian(?))"], 9, ev.PoissonSampled("0.1", ev.Gaussian(9)), True),
        (["laplace(1)", "thresholded_keys(1, ?)"], 9, ev.Composed([ev.Laplace(1), ev.ThresholdedKeys(1, 9)]), True),
        (["randomized_response(?)"], Fraction(1, 4), ev.RandomizedResponse("0.25"), True),
    ],
)  # fmt: skip
def test_an_unknown_takes_its_value(texts, value, event, safer):
    template = parse_with_unknown(texts)
    assert template.unknown is not None
    assert template.unknown.larger_is_safer is safer
    assert template.event(value) == event


@pytest.mark.parametrize(
    ("texts", "argument", "position"),
    [
        (["? x laplace(?)"], 1, 12),
        (["laplace(?)", "gaussian(?)"], 2, 9),
        (["truncated_poisson(0.1, ?, 9, gaussian(1))"], 1, 23),
        (["sealed_plan(?, laplace(1))"], 1, 12),
    ],
)
def test_two_unknowns_and_unsolvable_ones_are_refused(texts, argument, position):
    with pytest.raises(BadNotation) as caught:
        parse_with_unknown(texts)
    assert (caught.value.details["argument"], caught.value.details["position"]) == (argument, position)


def test_the_rest_is_checked_before_solving_and_the_value_when_it_comes():
    with pytest.raises(BadNotation):
        parse_with_unknown(["laplace(?)", "gaussian(-1)"])
    template = parse_with_unknown(["poisson(q=?, gaussian(1))"])
    with pytest.raises(BadAmount, match="q must be"):
        template.event(2)
    with pytest.raises(BadAmount, match="unknown"):
        template.event()
    count = parse_with_unknown(["? x laplace(1)"])
    for bad in (0, Fraction(3, 2), 10**10):
        with pytest.raises(BadAmount, match="count"):
            count.event(bad)
    with pytest.raises(BadAmount, match="whole"):
        parse_with_unknown(["thresholded_keys(1, ?)"]).event(Fraction(5, 2))


# --- and back ---

_REAL = st.fractions(min_value=Fraction(1, 10**9), max_value=10**6)
_FLOAT = st.floats(min_value=1e-8, max_value=1e6).map(Fraction)
_AMOUNT = _REAL | _FLOAT
_SHARE = st.fractions(min_value=Fraction(1, 10**12), max_value=Fraction(10**6 - 1, 10**6))
_WHOLE = st.integers(1, 10**12)
_SAMPLED = st.one_of(
    st.builds(ev.Laplace, _AMOUNT, _AMOUNT),
    st.builds(ev.DiscreteLaplace, _AMOUNT, _WHOLE),
    st.builds(ev.Gaussian, _AMOUNT, _AMOUNT),
    st.builds(ev.DiscreteGaussian, _AMOUNT, _WHOLE, _WHOLE),
    st.builds(ev.Exponential, _AMOUNT),
    st.builds(ev.PermuteAndFlip, _AMOUNT),
    st.builds(ev.ThresholdedKeys, _AMOUNT, st.integers(2, 99), st.integers(1, 9)),
    st.builds(ev.Opaque, _AMOUNT, st.just(0) | _SHARE),
    st.builds(ev.ZeroConcentrated, _AMOUNT),
)
_LEAVES = (
    _SAMPLED
    | st.builds(ev.RandomizedResponse, _SHARE, st.integers(2, 99))
    | st.builds(ev.PoissonSampled, _SHARE, _SAMPLED)
    | st.builds(ev.TruncatedPoissonSampled, _SHARE, _WHOLE, _WHOLE, st.builds(ev.Gaussian, _AMOUNT))
)
_EVENTS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.builds(ev.Repeated, inner, st.integers(1, 10**9)),
        st.builds(ev.Composed, st.lists(inner, min_size=2, max_size=4)),
        st.builds(ev.SealedPlan, inner, _SHARE),
    ),
    max_leaves=8,
)


@given(_EVENTS)
@settings(max_examples=400, deadline=None)
def test_writing_and_reading_round_trips(event):
    assert parse(unparse(event)) == event


@given(_EVENTS)
@settings(max_examples=50, deadline=None)
def test_every_event_has_words(event):
    assert in_words(event)


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (ev.Repeated(ev.Laplace(10), 100), "100 x laplace(scale=10)"),
        (ev.Gaussian("0.25", 3), "gaussian(sigma=0.25, sensitivity=3)"),
        (ev.Opaque(1, "1e-6"), "opaque(epsilon=1, delta=1e-6)"),
        (ev.Opaque(1, "2.5e-7"), "opaque(epsilon=1, delta=2.5e-7)"),
        (ev.Gaussian(Fraction(1, 3)), "gaussian(sigma=1/3)"),
        (ev.Gaussian("0.001"), "gaussian(sigma=0.001)"),
        (ev.Gaussian("0.0001"), "gaussian(sigma=1e-4)"),
        (ev.DiscreteLaplace(10**12), "discrete_laplace(scale=1e12)"),
        (ev.DiscreteLaplace(10**11), "discrete_laplace(scale=100000000000)"),
        (ev.DiscreteLaplace(10**15), "discrete_laplace(scale=1e15)"),
        (ev.Repeated(ev.Repeated(ev.Laplace(1), 2), 3), "3 x (2 x laplace(scale=1))"),
        (ev.Composed([ev.Laplace(1)]), "laplace(scale=1)"),
        (ev.Repeated(ev.Composed([ev.Composed([ev.Laplace(1)])]), 2), "2 x laplace(scale=1)"),
        (ev.PoissonSampled("0.5", ev.Composed([ev.Laplace(1)])), "poisson(q=0.5, laplace(scale=1))"),
    ],
)
def test_canonical_text(event, text):
    assert unparse(event) == text


@pytest.mark.parametrize(
    "event",
    [
        ev.NonPrivate(),
        ev.Unsupported("a model trained elsewhere"),
        ev.PoissonSampled("0.5", ev.Repeated(ev.Gaussian(1), 3)),
        ev.PoissonSampled("0.5", ev.Composed([ev.Gaussian(1), ev.Laplace(1)])),
        ev.PoissonSampled("0.5", ev.PoissonSampled("0.5", ev.Laplace(1))),
        ev.TruncatedPoissonSampled("0.5", 5, 9, ev.Laplace(1)),
    ],
)
def test_what_the_language_cannot_say_is_described_and_never_misread(event):
    text = unparse(event)
    assert "<" in text
    assert in_words(event)
    with pytest.raises(BadNotation):
        parse(text)

"""The words of the calculator: one for each event, with its parameters, its form and a sentence."""

import pytest

from privet.guarantee import _events as ev
from privet.guarantee._calculator_notation import parse
from privet.guarantee._calculator_vocabulary import BY_EVENT, BY_NAME, LARGEST_COUNT, Word, in_words
from privet.guarantee.mechanisms import costlier


def test_every_event_class_has_a_word_or_a_reason_not_to():
    structural = {ev.Repeated, ev.Composed, ev.Selected, ev.NonPrivate, ev.PacRelease, ev.Unsupported}
    assert set(ev.event_kinds().values()) == set(BY_EVENT) | structural


def test_every_form_reads_once_its_dots_are_filled():
    for mechanism in BY_NAME.values():
        text = mechanism.form().replace(", …)", ", gaussian(1))").replace("=…", "=?")
        # Noise within a norm wants a large sigma; everything else reads a half.
        small = "3000" if mechanism.name in {"normed_gaussian", "distributed_gaussian"} else "0.5"
        # Two participations that are two steps apart want three steps.
        whole = {"steps": "3"}
        numbers = iter(
            whole.get(p.name, "2") if p.whole else small for p in mechanism.parameters if not p.optional
        )
        while "?" in text:
            text = text.replace("?", next(numbers), 1)
        assert isinstance(parse(text), mechanism.event)


def test_a_word_lists_the_parameters_of_its_event():
    with pytest.raises(TypeError, match="parameters of Laplace"):
        Word("laplace", ev.Laplace, (costlier("scale"),), "")
    with pytest.raises(TypeError):
        Word("poisson", ev.PoissonSampled, (costlier("q"), costlier("event")), "", plan=True)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("laplace", "laplace(scale=…, sensitivity=1)"),
        ("opaque", "opaque(epsilon=…, delta=0)"),
        ("poisson", "poisson(q=…, …)"),
        ("sealed_plan", "sealed_plan(delta=…, …)"),
        ("truncated_poisson", "truncated_poisson(q=…, batch=…, size=…, …)"),
    ],
)
def test_forms(name, form):
    assert BY_NAME[name].form() == form


def test_what_wraps_others_says_so_and_what_it_may_hold():
    assert {name for name, word in BY_NAME.items() if word.takes_event} == {
        "poisson",
        "truncated_poisson",
        "sealed_plan",
    }
    assert BY_NAME["truncated_poisson"].inside == {"gaussian"}
    # Randomised response does not hide that somebody answered, so a sample amplifies nothing.
    assert BY_NAME["poisson"].inside == {
        "laplace", "discrete_laplace", "gaussian", "discrete_gaussian", "normed_gaussian", "distributed_gaussian", "exponential", "permute_and_flip",
        "thresholded_keys", "truncated_keys", "opaque", "zcdp", "banded_gaussian", "banded_inverse_gaussian",
    }  # fmt: skip
    assert [name for name, word in BY_NAME.items() if word.plan] == ["sealed_plan"]


@pytest.mark.parametrize(
    ("name", "parameter", "safer"),
    [
        ("laplace", "scale", True),
        ("laplace", "sensitivity", False),
        ("poisson", "q", False),
        ("truncated_poisson", "batch", None),
        ("truncated_poisson", "size", None),
        ("sealed_plan", "delta", None),
        ("thresholded_keys", "threshold", True),
        ("thresholded_keys", "keys", False),
        ("truncated_keys", "bound", True),
        ("randomized_response", "p", True),
        ("exponential", "epsilon", False),
        ("zcdp", "rho", False),
    ],
)
def test_which_way_a_parameter_moves_the_loss(name, parameter, safer):
    found = {one.name: one for one in BY_NAME[name].parameters}
    assert found[parameter].larger_is_safer is safer


def test_whole_numbers_are_marked():
    whole = {(word.name, one.name) for word in BY_NAME.values() for one in word.parameters if one.whole}
    assert whole == {
        ("discrete_laplace", "sensitivity"), ("discrete_gaussian", "sensitivity"), ("discrete_gaussian", "coordinates"),
        ("normed_gaussian", "norm"), ("normed_gaussian", "coordinates"),
        *(("distributed_gaussian", name) for name in ("shares", "squares", "coordinates", "steps")),
        *((f"banded_{kind}gaussian", name) for kind in ("", "inverse_") for name in ("steps", "bands", "participations", "separation")),
        ("thresholded_keys", "threshold"), ("thresholded_keys", "keys"), ("thresholded_keys", "reach"),
        ("thresholded_keys", "parts"), ("truncated_keys", "bound"), ("truncated_keys", "keys"),
        ("randomized_response", "buckets"), ("shuffled", "reports"), ("truncated_poisson", "batch"), ("truncated_poisson", "size"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (ev.Repeated(ev.Laplace(10), 1500), "1,500 times: Laplace noise of scale 10, sensitivity 1"),
        (ev.Composed([ev.Exponential("0.5"), ev.ZeroConcentrated("0.1")]),
         "the exponential mechanism at epsilon 0.5; and something known to be zero-concentrated differentially private at rho 0.1"),
        (ev.PoissonSampled("0.01", ev.Gaussian(2)),
         "on a fresh Poisson sample that holds each unit with probability 0.01: Gaussian noise of standard deviation 2, sensitivity 1"),
        (ev.Selected([ev.Gaussian(2)], 10),
         "the best of a logarithmic number of trials, 10 on average, each: Gaussian noise of standard deviation 2, sensitivity 1"),
        (ev.NonPrivate(), "a release without protection"),
        (ev.Unsupported("a plug-in"), "something no accountant here can bound: a plug-in"),
        (ev.DiscreteLaplace(4, 2000), "integer Laplace noise of scale 4, sensitivity 2,000"),
    ],
)  # fmt: skip
def test_words_of_events(event, words):
    assert in_words(event) == words


def test_the_largest_count_is_a_thousand_million():
    assert LARGEST_COUNT == 1_000_000_000
    assert parse("1000000000 x laplace(1)") == ev.Repeated(ev.Laplace(1), LARGEST_COUNT)

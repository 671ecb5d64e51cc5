"""What breeds: as many samples as were asked for, and points that are finite or nowhere."""

import inspect
import json
import sys
import warnings

import numpy as np
import pytest

from privet.errors import BadSynthesis, EndpointFailed
from privet.protect.synthesize import evolution
from privet.protect.synthesize.evolution import (
    Avatars,
    CallableEmbedder,
    CallableGenerator,
    Glyphs,
    HashedWords,
    LocalLanguageModel,
    OpenAICompatible,
    Phrases,
    Pixels,
    Prompts,
    RemoteEmbedder,
    SampleEmbedder,
    SampleGenerator,
    SentenceEncoder,
)
from privet.protect.synthesize.evolution._sample_generator import exactly, form_of, points_of


def test_functions_make_a_generator() -> None:
    made = CallableGenerator(
        lambda n, label: [label] * n, lambda some, label, degree: [f"{s}{degree}" for s in some]
    )
    assert isinstance(made, SampleGenerator)
    assert made.random(2, "a") == ["a", "a"]
    assert made.variation(["x"], None, 0.5) == ["x0.5"]
    assert made.unpacked(made.packed("x")) == made.shown("x") == "x"


def test_too_few_or_too_many_samples_are_refused() -> None:
    assert exactly(2, iter("ab")) == ["a", "b"]
    for wrong in ("a", "abc", "", None, 2):
        with pytest.raises(BadSynthesis):
            exactly(2, wrong)


def test_points_that_are_not_finite_lie_nowhere() -> None:
    given = np.array([[1, 2], [np.nan, 1], [np.inf, 1], [1e30, 0], [3, 4]])
    found = points_of(CallableEmbedder(lambda some: given[: len(some)]), list("abcde"))
    assert np.isfinite(found).all(axis=1).tolist() == [True, False, False, False, True]
    assert found.dtype == np.float32


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((2, 4)), np.zeros((3, 0))])
def test_an_embedder_gives_one_row_for_each(wrong) -> None:
    with pytest.raises(BadSynthesis):
        points_of(CallableEmbedder(lambda _: wrong), list("abc"))


def test_pieces_are_put_together_in_order() -> None:
    embedder = CallableEmbedder(lambda some: np.array([[ord(one)] for one in some]))
    assert points_of(embedder, list("abcde"), size=2).ravel().tolist() == [97, 98, 99, 100, 101]


class Panic(BaseException):
    """As libraries written in other languages raise."""


@pytest.mark.parametrize("kind", [ValueError, Panic, SystemExit, EndpointFailed, MemoryError, StopIteration])
def test_what_an_embedder_says_where_it_fails_is_kept_back(kind) -> None:
    def breaks(some):
        raise kind(
            *(f"cannot place {one}" for one in some[:1]), *(["hint"] if kind is EndpointFailed else [])
        )

    with pytest.raises(BadSynthesis) as told:
        points_of(CallableEmbedder(breaks), ["canary"])
    assert "canary" not in str(told.value)
    assert told.value.__context__ is None
    assert told.value.__cause__ is None
    assert sys.exc_info() == (None, None, None)


def test_an_embedder_that_is_stopped_by_hand_stops() -> None:
    def stopped(some):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        points_of(CallableEmbedder(stopped), ["a"])


def test_what_an_embedder_warns_of_is_kept_back() -> None:
    def warned(some):
        warnings.warn(f"odd: {some[0]}", stacklevel=1)
        return np.full((len(some), 2), 1e300)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(points_of(CallableEmbedder(warned), ["canary"])).all()


def test_samples_have_one_form_that_a_twin_can_hold() -> None:
    assert form_of(["a", ""]) is None
    assert form_of([np.zeros((2, 3)), [[1, 2, 3], [4, 5, 6]]]) == (2, 3)
    for wrong in (
        ["a", np.zeros((2, 3))],
        [np.zeros(2), np.zeros(3)],
        [{"a": 1}],
        [None],
        [b"a"],
        [np.zeros(0)],
        [],
    ):
        with pytest.raises(BadSynthesis):
            form_of(wrong)


# For every generator and embedder of this house: what is given, and for each argument what could be given instead. Those that
# are named alone say nothing of a sample: how quickly, how often or under whose name one is made.
GIVEN = {
    Phrases: (
        {"templates": ["{a} b"], "words": {"a": ["x", "y"]}, "by_label": {"l": ["{a} c"]}},
        {"templates": ["{a} d"], "words": {"a": ["x", "z"]}, "by_label": {"m": ["{a} c"]}},
        set(),
    ),
    Avatars: (
        {"shape": (8, 8), "ink": 1.0, "labels": None},
        {"shape": (8, 9), "ink": 2.0, "labels": {"glad": {"smile": (0.5, 1.0)}}},
        set(),
    ),
    Glyphs: (
        {"shape": (8, 8), "fonts": ["a.ttf", "b.ttf"], "ink": 1.0, "texts": {"one": "1"}},
        {"shape": (8, 9), "fonts": ["a.ttf", "c.ttf"], "ink": 2.0, "texts": {"one": "I"}},
        set(),
    ),
    OpenAICompatible: (
        {"url": "https://a.example/v1", "model": "m", "prompts": None, "temperature": 1.0},
        {
            "url": "https://b.example/v1", "model": "n", "prompts": Prompts(words=9), "temperature": 0.5,
        },
        {"cache", "options"},
    ),
    LocalLanguageModel: (
        {"path": "here", "prompts": None, "temperature": 1.0, "most_tokens": 256},
        {"path": "there", "prompts": Prompts(words=9), "temperature": 0.5, "most_tokens": 9},
        {"cache", "batch"},
    ),
    CallableGenerator: (
        {"make": list, "vary": list, "name": "a"}, {"name": "b"}, {"make", "vary", "pack", "unpack"},
    ),
    Pixels: ({"scale": 1.0}, {"scale": 16.0}, set()),
    HashedWords: ({"dimensions": 256, "pairs": True}, {"dimensions": 128, "pairs": False}, set()),
    SentenceEncoder: ({"folder": "here", "tokens": 128}, {"folder": "there", "tokens": 64}, {"batch"}),
    RemoteEmbedder: (
        {"url": "http://127.0.0.1:1/v1", "model": "m"},
        {"url": "http://127.0.0.1:2/v1", "model": "n"},
        {"private_texts_may_go_to", "batch", "options"},
    ),
    CallableEmbedder: (
        {"function": list, "name": "a"}, {"name": "b"}, {"function", "remote", "alone", "private_texts_may_go_to"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", GIVEN, ids=lambda kind: kind.__name__)
def test_a_description_holds_all_that_samples_depend_on(kind, tmp_path, monkeypatch) -> None:
    """Runs of equal descriptions are one: the second would be read with other phrases or fonts than it was drawn with."""
    if kind in (Avatars, Glyphs):
        pytest.importorskip("PIL")
    monkeypatch.chdir(tmp_path)
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").touch()
    usual, others, silent = GIVEN[kind]
    assert set(inspect.signature(kind).parameters) == {*usual, *silent}
    said = [kind(**usual).described()] + [
        kind(**{**usual, name: other}).described() for name, other in others.items()
    ]
    assert len({json.dumps(one, sort_keys=True) for one in said}) == len(said)
    assert set(others) == set(usual) - silent


def test_no_generator_or_embedder_is_left_out() -> None:
    named = [getattr(evolution, name) for name in evolution.__all__]
    there = {one for one in named if isinstance(one, type) and hasattr(one, "described")}
    assert there - {Prompts, SampleGenerator, SampleEmbedder} == set(GIVEN)

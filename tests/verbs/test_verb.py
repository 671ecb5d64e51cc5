"""Verbs join by registering; each says of itself what it takes, spends and makes."""

from types import SimpleNamespace

import pytest

from privet.verbs import Options, Verb, register, verbs
from privet.verbs import _verb as registry
from privet.verbs._verb import Bound, files_named, spends


@pytest.fixture
def known(monkeypatch):
    verbs()  # all of them are registered before the registry is exchanged
    monkeypatch.setattr(registry, "_KNOWN", dict(registry._KNOWN))


def test_a_name_belongs_to_one_verb(known):
    @register
    class First(Verb):
        name = "first"

    assert verbs()["first"].name == "first"
    register(First)

    with pytest.raises(ValueError, match="'first' already"):

        @register
        class Second(Verb):
            name = "first"


def test_every_verb_says_what_it_makes():
    found = verbs()
    assert list(found) == sorted(found)
    assert {"anonymize", "audit", "release", "train", "tabulate", "mask", "tradeoff"} <= set(found)
    for name, one in found.items():
        assert one.name == name
        assert one.output
        assert one.endings
        assert issubclass(one.options, Options)
        assert set(one.beside) <= set(one.options.model_fields)


def test_those_that_are_paid_for_say_so():
    paid = {name for name, one in verbs().items() if spends(one)}
    assert paid == {"estimate", "pac", "release", "synthesize", "tabulate", "train", "train-language-model"}
    assert "anonymize" not in paid


def test_files_that_options_name_are_found_whatever_their_shape():
    verb = SimpleNamespace(beside=("one", "many", "by_name", "none"))
    options = SimpleNamespace(one="a.csv", many=["b.csv", "c.csv"], by_name={"x": "d.csv"}, none=None)
    assert files_named(verb, options) == [
        ("one", "a.csv"),
        ("many", "b.csv"),
        ("many", "c.csv"),
        ("by_name", "d.csv"),
    ]


@pytest.mark.parametrize(
    ("options", "share"),
    [(SimpleNamespace(), 0), (SimpleNamespace(holdout=None), 0), (SimpleNamespace(holdout=0.2), 0.2)],
)
def test_a_step_keeps_people_apart_where_it_says_so(options, share):
    step = Bound(0, "a", None, options, "care", None, "a.json", "internal", ())
    assert step.holdout == share

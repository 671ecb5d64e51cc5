"""Options said once: how they are spelled, what words mean, and refusals that name each of them."""

from typing import Annotated, Literal

import pytest
from pydantic import Field

from privet.errors import BadUsage
from privet.verbs._verb_options import Flag, Options, read_words, spelled, validated


class Example(Options):
    """An example."""

    file: Annotated[str, Field(description="A file."), Flag(argument=True, example="rows.csv")]
    k: Annotated[int | None, Field(ge=2, description="How many."), Flag(example="5")] = None
    names: Annotated[list[str] | None, Flag(commas=True)] = None
    also: Annotated[list[str], Flag(names=("-a", "--also"))] = Field(default_factory=list)
    rounds: Annotated[dict[str, str], Flag(example="age=5")] = Field(default_factory=dict)
    bounds: Annotated[dict[str, str], Flag(example="x=0:1")] = Field(default_factory=dict)
    way: Literal["fast", "slow"] = "fast"
    quiet: bool = False


def test_fields_are_spelled_as_a_command_line_has_them():
    found = {one.field: one for one in spelled(Example)}
    assert found["file"].shown == "FILE"
    assert found["file"].required
    assert found["also"].shown == "--also"
    assert {name: one.shape for name, one in found.items()} == {
        "file": "one", "k": "one", "names": "commas", "also": "list", "rounds": "pairs", "bounds": "pairs", "way": "one",
        "quiet": "flag",
    }  # fmt: skip
    assert found["way"].choices == ("fast", "slow")
    assert [one.field for one in spelled(Example, only=("k", "way"))] == ["k", "way"]


def test_words_mean_what_they_say():
    said = read_words(
        Example,
        {
            "file": "x",
            "names": 'a, "b,c"',
            "rounds": ["a=b=5"],
            "bounds": ["x=0=1"],
            "also": [],
            "quiet": False,
        },
    )
    assert said == {"file": "x", "names": ["a", "b,c"], "rounds": {"a=b": "5"}, "bounds": {"x": "0=1"}}


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        ({"names": "a,,b"}, "--names could not be read"),
        ({"names": "a,a"}, "--names could not be read"),
        ({"rounds": ["age"]}, "--rounds could not be read"),
        ({"rounds": ["=5"]}, "--rounds could not be read"),
        ({"rounds": ["a=1", "a=2"]}, "--rounds names 'a' twice"),
    ],
)
def test_words_that_say_nothing_are_refused(words, fact):
    with pytest.raises(BadUsage, match=fact):
        read_words(Example, words)


def test_every_option_that_is_wrong_is_named_as_it_is_written():
    with pytest.raises(BadUsage) as refused:
        validated(Example, {"k": 1, "way": "sideways"})
    assert "FILE is missing." in refused.value.fact
    assert "--k should be greater than or equal to 2." in refused.value.fact
    assert "--way" in refused.value.fact
    assert "sideways" not in refused.value.fact, "what was said may be a secret"
    assert refused.value.hint == "Write rows.csv, --k 5."
    with pytest.raises(BadUsage):
        validated(Example, {"file": "x", "unknown": 1})


def test_options_do_not_change():
    made = validated(Example, {"file": "x"})
    with pytest.raises(ValueError, match="frozen"):
        made.file = "y"

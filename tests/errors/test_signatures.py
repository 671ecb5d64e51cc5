"""What is read off a signature: places, names, keywords, and kinds that exist at run time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from privet.errors._signatures import signature_of

if TYPE_CHECKING:
    from somewhere import Elsewhere  # type: ignore[import-not-found]


class More(TypedDict, total=False):
    pace: float
    weights: list[str]


def every(first: int, /, second: str, *rest: int, third: bool = True, **more: Unpack[More]) -> None: ...


def anything(one: "int", two: "Elsewhere", three, **more: Any) -> None: ...


class Thing:
    def method(self, what: Sequence[str]) -> None: ...


def names(parameters: list) -> list[str]:
    return [one.name for one in parameters]


def test_places_and_names() -> None:
    found = signature_of(every)
    assert names(found.places) == ["first", "second", "rest"]
    assert names(found.named) == ["second", "third"]


def test_an_unpacked_dictionary_names_its_keywords_and_their_kinds() -> None:
    found = signature_of(every)
    assert found.keywords == ["second", "third", "pace", "weights"]
    assert found.kinds["pace"] is float
    assert found.kinds["weights"] == list[str]
    assert "more" not in found.kinds


def test_where_any_keyword_is_taken_none_is_listed() -> None:
    assert signature_of(anything).keywords is None


def test_kinds_that_only_type_checkers_see_are_left_out() -> None:
    assert signature_of(anything).kinds == {"one": int}


def test_a_method_is_not_given_its_self_by_name() -> None:
    assert names(signature_of(Thing.method).named) == ["what"]
    assert signature_of(Thing.method).kinds["what"] == Sequence[str]


def test_a_signature_is_read_once() -> None:
    assert signature_of(every) is signature_of(every)

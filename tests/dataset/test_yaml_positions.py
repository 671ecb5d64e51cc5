"""YAML with places: every part has its line and column, and what hides what a policy says is refused."""

import pytest

from privet.dataset._yaml_positions import placed, read_placed
from privet.errors import BadPolicy

TEXT = """dataset:
  source: a.csv
  tags: [one, two]
purposes: {beds: {use: planning}}
"""


def test_content_and_places():
    found = placed(TEXT, "privet.yaml")
    assert found.content == {
        "dataset": {"source": "a.csv", "tags": ["one", "two"]},
        "purposes": {"beds": {"use": "planning"}},
    }
    assert found.place(("dataset", "source")) == "privet.yaml:2:11"
    assert found.place(("dataset", "source"), key=True) == "privet.yaml:2:3"
    assert found.place(("dataset", "tags", 1)) == "privet.yaml:3:15"
    assert found.place(("purposes", "beds", "use")) == "privet.yaml:4:24"
    assert found.place(()) == "privet.yaml:1:1"


def test_what_is_not_there_has_the_place_of_what_is_around_it():
    found = placed(TEXT, "privet.yaml")
    assert found.place(("dataset", "unit", "column")) == "privet.yaml:2:3"
    assert found.place(("dataset", "source", "more"), key=True) == "privet.yaml:2:3"
    assert found.place(("nothing",)) == "privet.yaml:1:1"
    assert placed("", "privet.yaml").place(("dataset",)) == "privet.yaml:1:1"
    assert placed("", "privet.yaml").content is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: &x 1\nb: *x\n", "privet.yaml:1:4"),
        ("a: 1\nb: *x\n", "privet.yaml:2:4"),
        ("a: 1\na: 2\n", "privet.yaml:2:1"),
        ("<<: {a: 1}\n", "privet.yaml:1:1"),
        ("? [a]\n: 1\n", "privet.yaml:1:3"),
        ("a: [1\n", "privet.yaml:2:1"),
        ("a: !!python/object:os.system x\n", "privet.yaml:1:4"),
        ("a: 2026-99-99\n", "privet.yaml:1:4"),
        ('a: "\\ud800"\n', "privet.yaml:1:4"),
        ('"\\ud800": 1\n', "privet.yaml:1:1"),
    ],
)
def test_what_hides_something_is_refused_at_its_place(text, place):
    with pytest.raises(BadPolicy) as caught:
        placed(text, "privet.yaml")
    assert caught.value.fact.startswith(place)


def nested(depth):
    return "".join(f"{' ' * level}a:\n" for level in range(depth)) + " " * depth + "b\n"


def test_forty_levels_are_the_deepest():
    assert placed(nested(40), "p").content
    with pytest.raises(BadPolicy, match="deeply"):
        placed(nested(41), "p")


def test_files_are_read_within_limits(tmp_path):
    path = tmp_path / "privet.yaml"
    path.write_text("a: " + "x" * (1_000_000 - 3))
    assert read_placed(path).name == "privet.yaml"
    path.write_text("a: " + "x" * (1_000_000 - 2))
    with pytest.raises(BadPolicy, match="too large"):
        read_placed(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadPolicy, match="not a text file"):
        read_placed(path)
    with pytest.raises(BadPolicy, match="cannot be read"):
        read_placed(tmp_path / "nothing.yaml")

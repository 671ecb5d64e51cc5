"""Values as people write them: numbers stay whole, days are days, lists are lists."""

import datetime

import pytest
from pydantic import BaseModel, ValidationError

from privet.verbs._written_values import Edge, Names, Number, Values


class Said(BaseModel):
    names: Names = ["x"]
    values: Values = []
    number: Number = 0
    edge: Edge = 0


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ({"names": "zip"}, ["zip"]),
        ({"names": ["zip", "age"]}, ["zip", "age"]),
        ({"values": "a, b,,c "}, ["a", "b", "c"]),
        ({"values": ["a, b"]}, ["a, b"]),
        ({"number": "5"}, 5),
        ({"number": "0.5"}, 0.5),
        ({"number": 2}, 2),
        ({"edge": "2024-02-29"}, datetime.date(2024, 2, 29)),
        ({"edge": datetime.date(2024, 2, 29)}, datetime.date(2024, 2, 29)),
        ({"edge": "-5"}, -5),
    ],
)
def test_what_is_meant(said, meant):
    (name,) = said
    found = getattr(Said(**said), name)
    assert found == meant
    assert type(found) is type(meant)


@pytest.mark.parametrize(
    "said",
    [
        {"names": ""},
        {"names": [""]},
        {"number": "five"},
        {"number": True},
        {"number": None},
        {"edge": "2024-02-30"},
        {"edge": datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)},
        {"edge": "soon"},
    ],
)
def test_what_is_none_is_refused(said):
    with pytest.raises(ValidationError):
        Said(**said)

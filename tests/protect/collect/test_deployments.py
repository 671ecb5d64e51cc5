"""Published deployments: each can be made, and says what a person gives."""

import math

import pytest

import privet as pv
from privet.errors import BadCollection
from privet.protect.collect import DEPLOYMENTS

# Epsilon per person and day as published; of RAPPOR for ever.
DAILY = {
    "apple-emoji": 4, "apple-lookup-hints": 8, "apple-health-types": 2, "apple-safari-domains": 8,
    "apple-safari-autoplay": 16, "apple-new-words": 16, "google-rappor": 4 * math.log(3),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(DEPLOYMENTS))
def test_each_costs_a_person_what_is_published(name: str) -> None:
    found = pv.deployed(name, None if DEPLOYMENTS[name].length else ["a", "b", "c"])
    assert float(found.epsilon * found.most) == pytest.approx(DAILY[name], abs=1e-9)
    assert f"epsilon {float(found.epsilon * found.most):.6g} per person" in str(found)
    assert "epsilon" in DEPLOYMENTS[name].says()
    assert pv.Collection.from_json(found.to_json()) == found


def test_the_emoji_sketch_is_the_published_one() -> None:
    assert pv.deployed("apple-emoji", ["a", "b"]).protocol.stated() == {
        "kind": "cms",
        "rows": 65_536,
        "width": 1024,
    }


def test_values_are_listed_where_they_are_counted() -> None:
    for name, values in (
        ("apple-emoji", None),
        ("apple-new-words", ["a", "b"]),
        ("apple-emojis", ["a", "b"]),
    ):
        with pytest.raises(BadCollection):
            pv.deployed(name, values)

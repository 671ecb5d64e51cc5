"""PAC releases in a notebook: numbers, the promise and what it is not, nats as their own coin; texts of callers are harmless."""

from __future__ import annotations

from tests.protect.pac.people import book, means, people

import privet as pv
from privet.report._notebook_pac import output_view, pac_explanation_view

PROMISE = pv.PacPrivacy("1/16")


def asked() -> object:
    box = pv.BlackBox(means, name="<script>means</script>")
    return people().apply(box, ["age", "cost"])


def test_an_output_stands_beside_its_promise() -> None:
    answer = pv.release(asked(), PROMISE, ledger=book(), why="a test", worlds=16)
    page = answer._repr_html_()
    assert page == output_view(answer)
    for said in ("67.5%", "presence in the universe", "nats 0.0625", "times the function", "16"):
        assert said in page
    assert "<script>means" not in page


def test_an_explanation_says_that_nothing_was_spent() -> None:
    found = pv.explain(asked(), PROMISE, ledger=book(1), worlds=16)
    page = found._repr_html_()
    assert page == pac_explanation_view(found)
    for said in ("nothing was spent", "67.5%", "nats 1 → 0.9375"):
        assert said in page
    assert "<script>means" not in page

"""Presidio beside the own detectors: which columns it is asked about, and what its findings change."""

from dataclasses import dataclass

import pytest
from tests.audits.columns.forms import sampled

from privet.audits.columns._column_decision import Decision
from privet.audits.columns.presidio_text import analyser, deepened
from privet.engine import ColumnKind
from privet.errors import MissingExtra


@dataclass
class Found:
    entity_type: str
    score: float


class Recogniser:
    """Stands for Presidio's engine, which is an extra: it finds what is told for each text."""

    def __init__(self, **found: list[Found]) -> None:
        self.found, self.asked = found, 0

    def analyze(self, text: str, language: str) -> list[Found]:
        self.asked += 1
        return self.found.get(text, [])


PROSE = Decision("user.content.free_text", 0.75, ())


def test_findings_are_counted_by_texts_and_the_most_frequent_goes_first():
    mail, card = Found("EMAIL_ADDRESS", 0.9), Found("CREDIT_CARD", 0.4)
    engine = Recogniser(a=[mail, mail, card], b=[mail], c=[])
    found = deepened(PROSE, sampled(["a", "b", "c", "d"]), engine)
    assert (found.category, found.confidence) == ("user.content.private", pytest.approx(0.8))
    assert [(one.category, one.share, one.source) for one in found.evidence] == [
        ("user.contact.email", pytest.approx(0.5), "presidio"),
        ("user.payment.card_number", pytest.approx(0.25), "presidio"),
    ]


def test_what_it_is_not_sure_of_and_what_has_no_category_change_nothing():
    engine = Recogniser(a=[Found("EMAIL_ADDRESS", 0.39), Found("CRYPTO", 1.0)])
    assert deepened(PROSE, sampled(["a"]), engine) is PROSE


def test_a_confidence_is_never_lowered():
    sure = Decision("user.content.private", 0.9, ())
    found = deepened(sure, sampled(["a"]), Recogniser(a=[Found("URL", 0.5)]))
    assert found.confidence == pytest.approx(0.9)


def test_other_columns_are_not_asked_about():
    engine = Recogniser(a=[Found("URL", 1.0)])
    known = Decision("user.contact.email", 0.9, ())
    assert deepened(known, sampled(["a"]), engine) is known
    assert deepened(PROSE, sampled(["1"], ColumnKind.INTEGER), engine) is PROSE
    assert engine.asked == 0


def test_fifty_texts_are_enough():
    engine = Recogniser()
    deepened(PROSE, sampled([f"text {n}" for n in range(300)]), engine)
    assert engine.asked == 50


def test_without_the_extra_it_is_refused_with_a_hint():
    try:
        import presidio_analyzer  # noqa: F401
    except ImportError:
        with pytest.raises(MissingExtra, match="Presidio") as caught:
            analyser()
        assert "privet[presidio]" in caught.value.hint
    else:
        pytest.skip("the extra is installed")

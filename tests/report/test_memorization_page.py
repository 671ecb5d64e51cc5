"""The page of what was memorized: rows by copies, what is not covered, no text, and no more than was found."""

from tests.attacks.memorization.tiny_models import CONTROL, MEMBERS, parrot

from privet.attacks import attack
from privet.attacks.memorization import plant_canaries
from privet.guarantee import ApproxDP
from privet.report import memorization_lines, memorization_page, save_memorization_page

SHORT = {"prefix": 20, "suffix": 20}


def test_it_shows_evidence_by_copies_and_no_text(tmp_path) -> None:
    texts, record = plant_canaries(MEMBERS, copies={1: 40, 8: 3})
    found = attack(
        parrot(texts), members=MEMBERS, control=CONTROL, promise=ApproxDP(1, 1e-6), canaries=record, references=100, **SHORT
    )  # fmt: skip
    page = memorization_page(found)
    for said in (
        "Texts, by number of copies",
        "Canaries, by number of copies",
        "8 copies",
        "never inserted",
        "never trained",
    ):
        assert said in page
    assert "3/n" in page
    assert "Contradicts the promise" in page
    assert "no limit" not in page.split("Canaries, by number")[0]
    assert "<script" not in page
    secret = [*MEMBERS, *CONTROL, *(one.secret for one in record.canaries)]
    assert not any(one[:20] in page for one in secret)
    assert save_memorization_page(found, tmp_path / "p.html").read_text() == page
    lines = memorization_lines(found)
    assert any(one.startswith("canaries, 8 copies: 3 of 3 recited") for one in lines)


def test_without_canaries_and_promise_less_is_said() -> None:
    found = attack(parrot([]), members=MEMBERS, control=CONTROL, **SHORT)
    page = memorization_page(found)
    assert "Canaries, by number" not in page
    assert "nothing was promised" in page
    assert "canary-exposure needs the record of planted canaries" in page
    assert any("0 of 40 recited, at most" in one for one in memorization_lines(found))

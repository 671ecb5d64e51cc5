"""The owner's page says what was measured on whom; the public card holds nothing that was measured on private rows."""

import numpy as np
import pyarrow as pa
from tests.protect.synthesize.people import rows, table

import privet as pv
from privet.artifact import Provenance, TwinColumn
from privet.report._twin_page import NOT_PROTECTED, save_twin_card, save_twin_page, twin_card, twin_page


def twin_of(fake, kind="category"):
    return pv.ReleasedTwin(
        promise=pv.ApproxDP(1, 1e-6),
        method="<b>by hand</b>",
        rows=fake.num_rows,
        columns=tuple(TwinColumn(name, kind, 2, "stated") for name in fake.column_names),
        measured=(),
        unit={"unit": "row"},
        provenance=Provenance("", "elsewhere", "duckdb", {}, ("Count",)),
        held=fake,
    )


def test_the_owners_page_shows_real_beside_twin_and_says_for_whom(tmp_path) -> None:
    names = ["ward", "age", "back"]
    found = pv.fidelity(twin_of(rows(200, seed=2).select(names)), rows(200, seed=1), target="back")
    page = twin_page(found)
    assert "For the owner of the data only" in page
    assert "200 real rows that were kept apart" in page
    assert "nothing of it was charged to a ledger" in page
    assert page.count("<svg") == 3
    assert "boosted trees" in page
    assert "logistic regression" in page
    assert "<b>by hand</b>" not in page
    assert "<script" not in page
    saved = save_twin_page(found, tmp_path / "page.html")
    assert saved.stat().st_mode & 0o077 == 0


def test_texts_and_an_embedding_are_told_by_its_name() -> None:
    made, real = (
        pa.table({"note": [f"patient {at} {word}" for at in range(30)]}) for word in ("slept", "ate")
    )
    page = twin_page(pv.fidelity(twin_of(made, "text"), real, embedder=pv.HashedWords()))
    assert "Fréchet distance in embedding" in page
    assert "FID" not in page
    assert "distinct words" in page


def test_the_card_holds_the_record_alone(tmp_path) -> None:
    ledger = pv.Ledger(tmp_path / "book", limit=pv.ApproxDP(1, 1e-6))
    twin = pv.synthesize(
        table(300), pv.ApproxDP(1, 1e-6), rows=50, ledger=ledger, why="a <i>card</i>", method="mst"
    )
    card = twin_card(twin)
    assert "Public version" in card
    assert twin.sentence() in card
    assert "a <i>card</i>" not in card
    assert twin.receipt is not None
    assert twin.receipt.head in card
    assert all(said in card for said in NOT_PROTECTED)
    assert all(f"{one.sigma:.4g}" in card for one in twin.measured if one.sigma is not None)
    # Nothing in it depends on rows: the same record with other rows gives the same card.
    other = twin.to_arrow().take(np.zeros(50, int))
    assert twin_card(pv.ReleasedTwin(**{**vars(twin), "held": other})) == card
    assert save_twin_card(twin, tmp_path / "card.html").read_text(encoding="utf-8") == card

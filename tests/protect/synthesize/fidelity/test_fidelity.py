"""A twin beside rows that were kept apart: figures of tables, texts and pictures, and what is refused."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.protect.synthesize.people import rows

import privet as pv
from privet.artifact import Provenance, TwinColumn
from privet.errors import BadSynthesis

NAMES = ("ward", "age", "seen", "weight", "back")


def twin_of(fake, names=NAMES, kind="category", data="elsewhere"):
    return pv.ReleasedTwin(
        promise=pv.ApproxDP(1, 1e-6),
        method="by hand",
        rows=fake.num_rows,
        columns=tuple(TwinColumn(name, kind, 2, "stated") for name in names),
        measured=(),
        unit={"unit": "row"},
        provenance=Provenance("", data, "duckdb", {}, ()),
        held=fake,
    )


def test_a_good_twin_is_as_near_as_chance_and_a_scrambled_one_is_not() -> None:
    real = rows(600, seed=1)
    good = pv.fidelity(twin_of(rows(600, seed=2)), real, target="back")
    assert [one.ways for one in good.marginals] == [1, 2, 3]
    assert all(one.mean < one.by_chance * 1.2 for one in good.marginals), "halves differ more than wholes"
    assert good.usefulness[1].on_twin > 0.9
    draws = np.random.default_rng(0)
    fake = pa.table({name: rows(600, seed=2)[name].take(draws.permutation(600)) for name in NAMES})
    bad = pv.fidelity(twin_of(fake), real, target="back")
    assert bad.marginals[0].mean == pytest.approx(good.marginals[0].mean), "each column by itself is the same"
    assert bad.marginals[1].worst > good.marginals[1].worst + 0.1
    assert bad.usefulness[1].on_twin < 0.7
    assert {one.name for one in bad.columns} == set(NAMES), "surrogates are not compared"
    assert all(sum(one.real) == pytest.approx(1) for one in bad.columns)


def test_training_rows_serve_as_the_reference_and_it_is_said() -> None:
    found = pv.fidelity(twin_of(rows(300, seed=2)), rows(300, seed=1), training=rows(300, seed=3))
    assert "made from" in found.measured_on
    assert "made from" in " ".join(found.notes)
    alone = pv.fidelity(twin_of(rows(300, seed=2)), rows(300, seed=1))
    assert "kept apart" in alone.measured_on
    assert "made from" not in alone.measured_on


def test_the_rows_it_was_made_from_are_no_holdout(tmp_path) -> None:
    place = tmp_path / "rows.parquet"
    pq.write_table(rows(100), place)
    made_from = pv.open_table(place).fingerprint
    with pytest.raises(BadSynthesis, match="made from"):
        pv.fidelity(twin_of(rows(100), data=made_from), place)
    assert pv.fidelity(twin_of(rows(100)), place).rows == (100, 100)


def test_duplicates_and_copies_are_counted() -> None:
    fake = pa.table({"ward": ["icu", "icu", "eye", "eye"], "age": [1, 1, 2, 3]})
    real = pa.table({"ward": ["icu", "eye"], "age": [1, 9]})
    found = pv.fidelity(twin_of(fake, ("ward", "age")), real)
    assert found.duplicates == pytest.approx((0.25, 0.0))
    assert found.copies == pytest.approx(0.5)


def test_texts_by_length_words_and_an_embedding_that_is_named() -> None:
    made = pa.table({"note": [f"patient {at} slept well" for at in range(40)], "label": ["a", "b"] * 20})
    real = pa.table({"note": [f"patient {at} ate well" for at in range(60)], "label": ["a", "b"] * 30})
    found = pv.fidelity(twin_of(made, ("note", "label"), "text"), real, embedder=pv.HashedWords())
    assert found.texts is not None
    assert found.texts.words == (4, 4)
    assert found.texts.known_words == pytest.approx(0.75)
    assert found.embedding is not None
    assert found.embedding.embedding in str(found)
    assert "Fréchet distance in embedding" in str(found)
    assert "FID" not in str(found)
    assert [one.name for one in found.columns] == ["label"]


def test_pictures_by_an_embedding() -> None:
    draws = np.random.default_rng(0)
    real = draws.random((60, 4, 4))
    fake = pa.table({"image": [one.reshape(-1).tolist() for one in draws.random((50, 4, 4)).astype("f4")]})
    twin = twin_of(fake, ("image",), "image")
    found = pv.fidelity(twin, pv.Images(real), embedder=pv.Pixels())
    assert found.embedding is not None
    assert found.embedding.points == (50, 60)
    assert "fewer samples" not in " ".join(found.notes)
    with pytest.raises(BadSynthesis, match="by an embedder"):
        pv.fidelity(twin, pv.Images(real))
    with pytest.raises(BadSynthesis, match="with pictures"):
        pv.fidelity(twin, rows(10))


def test_real_texts_are_not_sent_away() -> None:
    made = pa.table({"note": [f"patient {at} slept" for at in range(9)]})
    away = pv.CallableEmbedder(lambda _: pytest.fail("sent"), remote="elsewhere.example")
    with pytest.raises(BadSynthesis, match="sent away"):
        pv.fidelity(twin_of(made, ("note",), "text"), made, embedder=away)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(BadSynthesis, match="two bins"):
        pv.fidelity(twin_of(rows(50)), rows(50), bins=1)
    with pytest.raises(BadSynthesis, match="no rows"):
        pv.fidelity(twin_of(rows(50)), rows(50).slice(0, 0))
    with pytest.raises(BadSynthesis, match="no column"):
        pv.fidelity(replace(twin_of(rows(50)), held=rows(50)), rows(50).drop_columns(["ward"]))

"""The run: rounds are drawn once whatever happens, generators see synthetic samples alone, and nothing fails for a row."""

import json
import sqlite3
from contextlib import contextmanager

import numpy as np
import pytest
from tests.protect.synthesize.evolution.test_chat_endpoint import echo, served
from tests.protect.synthesize.evolution.texts import LABELS, PRIVATE, notes, phrases

import privet as pv
from privet.errors import BadSynthesis, EndpointFailed, LedgerTampered
from privet.guarantee import Change
from privet.ledger import Ledger
from privet.protect.synthesize.evolution import (
    CallableEmbedder,
    CallableGenerator,
    EvolutionSettings,
    HashedWords,
    OpenAICompatible,
    evolve_samples,
)
from privet.protect.synthesize.evolution import _evolution_run as run
from privet.protect.synthesize.evolution._nearest_votes import STEP

PROMISE = pv.ZeroConcentratedDP("0.5")
FEW = EvolutionSettings(rounds=3, population=20, variations=1)


def evolved(table, ledger, generator, **options):
    known = {"text": "note", "label": "ward", "labels": LABELS, "settings": FEW, "why": "a test"} | options
    return evolve_samples(table, PROMISE, generator=generator, ledger=ledger, **known)


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "notes.ledger", limit=pv.ZeroConcentratedDP(50)) as book:
        yield book


def spends(book: Ledger) -> list:
    return [entry for entry in book.history() if entry.kind == "spend"]


def test_a_twin_of_texts_has_texts_labels_and_a_receipt(ledger) -> None:
    twin = evolved(notes(), ledger, phrases(), rows=50)
    table = twin.to_arrow()
    assert table.column_names == ["note", "ward"]
    assert table.num_rows == 50
    assert set(table["ward"].to_pylist()) <= set(LABELS)
    assert "canary" not in "".join(table["note"].to_pylist())
    assert twin.receipt is not None
    assert len(spends(ledger)) == 1
    assert [one.what for one in twin.measured] == ["class shares", "votes", "votes", "votes"]
    ledger.verify()


def test_asked_again_it_costs_nothing_and_is_made_of_the_same_rounds(ledger) -> None:
    evolved(notes(), ledger, phrases(), rows=20)
    before = len(list(ledger.history()))
    evolved(notes(), ledger, phrases(), rows=40)
    assert len(list(ledger.history())) == before
    evolved(notes(), ledger, phrases(), rows=20, again=True)
    assert len(spends(ledger)) == 2
    ledger.verify()


@contextmanager
def counted_draws(monkeypatch):
    drawn = []
    real = run.discrete_gaussian
    monkeypatch.setattr(run, "discrete_gaussian", lambda *given: drawn.append(1) or real(*given))
    yield drawn


@pytest.mark.parametrize("stops_after", [0, 1, 2, 3])
def test_a_run_that_stops_goes_on_and_draws_no_round_twice(ledger, monkeypatch, stops_after) -> None:
    made = phrases()
    calls = []

    def vary(samples, label, degree):
        calls.append(label)
        if len(calls) > 2 * stops_after and not fixed:
            raise EndpointFailed("the model is down.", "Try again.")
        return made.variation(samples, label, degree)

    fixed = []
    generator = CallableGenerator(made.random, vary, pack=made.packed, unpack=made.unpacked)
    monkeypatch.setattr(CallableGenerator, "shown", lambda _, sample: made.shown(sample))
    with counted_draws(monkeypatch) as drawn:
        if stops_after < 2:
            with pytest.raises(EndpointFailed):
                evolved(notes(), ledger, generator)
        else:
            evolved(notes(), ledger, generator)
        fixed.append(True)
        evolved(notes(), ledger, generator)
        assert len(drawn) == 4  # class shares and three rounds, once each
    assert len(spends(ledger)) == 1
    ledger.verify()


def test_a_killed_run_leaves_noisy_votes_and_synthetic_samples_alone(tmp_path, monkeypatch) -> None:
    """Everything on disk after a kill, searched for private text and for the exact histogram."""
    exact = []
    real = run.sealed_votes
    monkeypatch.setattr(run, "sealed_votes", lambda *a, **k: exact.append(real(*a, **k)) or exact[-1])
    place = tmp_path / "killed.ledger"
    made = phrases()

    def vary(samples, label, degree):
        if len(exact) == 2:
            raise KeyboardInterrupt
        return made.variation(samples, label, degree)

    generator = CallableGenerator(made.random, vary, pack=made.packed, unpack=made.unpacked)
    monkeypatch.setattr(CallableGenerator, "shown", lambda _, sample: made.shown(sample))
    with Ledger(place, limit=pv.ZeroConcentratedDP(50)) as book, pytest.raises(KeyboardInterrupt):
        evolved(notes(), book, generator)
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"canary" not in content
    with Ledger(place) as book:
        assert sum(entry.kind == "release" for entry in book.history()) == 3  # shares and two rounds
    for sealed in exact:
        assert sealed._exact.tobytes() not in content


def test_only_synthetic_text_reaches_the_address(ledger) -> None:
    with served(echo) as (url, seen):
        evolved(
            notes(), ledger, OpenAICompatible(url, "m", at_once=2), rows=5,
            settings=EvolutionSettings(rounds=2, population=6, variations=1),
        )  # fmt: skip
    sent = json.dumps(seen)
    assert len(seen) > 10
    assert "canary" not in sent
    assert "fracture was operated" not in sent


def test_a_run_asks_as_often_as_was_told_and_a_cap_below_that_costs_nothing(ledger, tmp_path) -> None:
    settings = EvolutionSettings(rounds=2, population=6, variations=1)
    with served(echo) as (url, seen):
        few = OpenAICompatible(url, "m", most_calls=20)
        with pytest.raises(BadSynthesis, match=r"takes 22 calls.*leaves 20"):
            evolved(notes(), ledger, few, rows=8, settings=settings)
        assert not spends(ledger)
        assert not seen
        kept = {"cache": tmp_path / "answers"}
        evolved(notes(), ledger, OpenAICompatible(url, "m", most_calls=22, **kept), rows=8, settings=settings)
        assert len(seen) == 22
        evolved(notes(), ledger, OpenAICompatible(url, "m", most_calls=1, **kept), rows=8, settings=settings)
        assert len(seen) <= 24, "only variations of texts that were not varied before"
    assert "canary" not in (tmp_path / "answers").read_text()


@pytest.mark.usefixtures("no_noise")
def test_votes_move_texts_towards_the_private_ones(ledger) -> None:
    """Noise off: what lives after some rounds lies nearer to the private texts than any random phrase does on average."""
    embedder, made = HashedWords(256), phrases()
    twin = evolve_samples(
        notes(400), PROMISE, generator=made, embedder=embedder, ledger=ledger, why="a test", text="note", rows=3,
        settings=EvolutionSettings(rounds=6, population=3, variations=8, degrees=(1.0, 0.5)),
    )  # fmt: skip
    private = embedder.embed([text for texts in PRIVATE.values() for text in texts])

    def distance(samples: list[str]) -> float:
        return float(
            np.linalg.norm(private[:, None] - embedder.embed(samples)[None], axis=2).min(axis=0).mean()
        )

    found = distance(twin.to_arrow()["note"].to_pylist())
    assert found < distance([made.shown(one) for one in made.random(400, None)]) - 0.03


@pytest.mark.usefixtures("no_noise")
@pytest.mark.parametrize("odd", ["a new label", "an empty text", "a huge text", "copies", "no text"])
def test_one_person_more_moves_no_round_further_than_one_vote(tmp_path, monkeypatch, odd) -> None:
    """The first round's votes with and without one person, whatever that person's rows hold."""
    import pyarrow as pa

    rows = {
        "a new label": [("x", "nowhere")] * 3,
        "an empty text": [("", "surgery")] * 3,
        "a huge text": [("wound " * 50_000, "surgery")] * 3,
        "copies": [("A man with a fracture", "surgery")] * 900,
        "no text": [(None, "medicine"), ("fever", None), (None, None)],
    }[odd]
    base = notes(30, 3).relation.table.to_pyarrow()
    extra = pa.table(
        {"id": ["new"] * len(rows), "note": [r[0] for r in rows], "ward": [r[1] for r in rows]}, base.schema
    )
    seen = []
    real = run.sealed_votes
    monkeypatch.setattr(run, "sealed_votes", lambda *a, **k: seen.append(real(*a, **k)) or seen[-1])
    made = phrases()
    first = {label: made.random(30, label) for label in [*LABELS]}
    made.random = lambda count, label: (first[label] * 9)[:count]
    for at, table in enumerate((base, pa.concat_tables([base, extra]))):
        with Ledger(tmp_path / f"{at}.ledger", limit=pv.ZeroConcentratedDP(50)) as book:
            evolved(
                pv.open_table(table, unit=pv.Person("id", max_rows=3)), book, made,
                shares={"medicine": 0.5, "surgery": 0.5},
                settings=EvolutionSettings(rounds=1, population=20, variations=1, votes=2),
            )  # fmt: skip
    without, with_ = (sealed._exact.astype(object) for sealed in seen)
    assert sum((with_ - without) ** 2) <= seen[0].sensitivity.squares
    assert np.count_nonzero(with_ - without) <= seen[0].sensitivity.coordinates


def test_neighbours_that_replace_a_person_are_paid_for(ledger) -> None:
    assert evolved(notes(change=Change.REPLACE), ledger, phrases()).rows == 20
    (entry,) = spends(ledger)
    assert '"norm": "1482911"' in json.dumps(entry.body["event"]).replace(": 1482911", ': "1482911"')


def test_a_private_sample_that_breaks_the_embedder_takes_no_other_vote_with_it(ledger, monkeypatch) -> None:
    seen = []
    real = run.sealed_votes
    monkeypatch.setattr(run, "sealed_votes", lambda *a, **k: seen.append(real(*a, **k)) or seen[-1])

    def breaks(samples):
        if any("canary00007" in one for one in samples):
            raise ValueError("canary00007 broke it")
        return HashedWords(16).embed(samples)

    known = {"shares": {"medicine": 0.5, "surgery": 0.5}}
    evolved(notes(), ledger, phrases(), embedder=CallableEmbedder(breaks), **known)
    far = CallableEmbedder(
        breaks, name="at an address", remote="example.org", private_texts_may_go_to="example.org"
    )
    evolved(notes(), ledger, phrases(), embedder=far, **known)
    assert {int(one._exact.sum()) // STEP for one in seen} == {199}


@pytest.mark.parametrize("made", ["\ud800", b"bytes", {1, 2}])
def test_samples_that_cannot_be_stored_stop_the_run_before_noise_is_drawn(ledger, monkeypatch, made) -> None:
    broken = []
    plain = CallableGenerator(
        lambda count, _: ["words"] * count,
        lambda samples, *_: [made if broken else "words"] * len(samples),
    )
    whole = {
        "label": None,
        "labels": None,
        "embedder": CallableEmbedder(lambda them: np.ones((len(them), 2))),
    }
    with counted_draws(monkeypatch) as drawn:
        broken.append(True)
        with pytest.raises(BadSynthesis):
            evolved(notes(), ledger, plain, **whole)
        assert len(drawn) == 1
        broken.clear()
        evolved(notes(), ledger, plain, **whole)
        assert len(drawn) == 3
    assert len(spends(ledger)) == 1


def test_a_private_sample_that_breaks_the_embedder_is_no_error_and_casts_no_vote(ledger) -> None:
    def breaks(samples):
        if any("canary00007" in one for one in samples):
            raise ValueError("canary00007 broke it")
        return HashedWords(16).embed(samples)

    twin = evolved(notes(), ledger, phrases(), embedder=CallableEmbedder(breaks))
    assert twin.rows == 20
    (incident,) = ledger.incidents()
    assert "canary" not in str(incident)
    assert not any(letter.isdigit() for letter in incident.doing)


def no_longer(_seen):
    return {
        "another length": lambda some: np.ones((len(some), 5)),
        "nowhere": lambda some: np.full((len(some), 4), np.nan),
        "an error that quotes": lambda some: (_ for _ in ()).throw(ValueError(_seen[0])),
    }


@pytest.mark.parametrize("odd", no_longer([]))
def test_an_embedder_that_changes_stops_the_run_before_noise_is_drawn(ledger, monkeypatch, odd) -> None:
    """Of what it remembers of private texts nothing is told; mended, the run goes on and pays nothing more."""
    seen, broken = [], [True]

    def embed(some):
        seen.extend(one for one in some if "canary" in one)
        if seen and broken and not any("canary" in one for one in some):
            return no_longer(seen)[odd](some)
        return HashedWords(4).embed(some)

    known = {"shares": {"medicine": 0.5, "surgery": 0.5}, "embedder": CallableEmbedder(embed)}
    with counted_draws(monkeypatch) as drawn:
        with pytest.raises(BadSynthesis) as told:
            evolved(notes(), ledger, phrases(), **known)
        assert "canary" not in str(told.value)
        assert not drawn
        broken.clear()
        assert evolved(notes(), ledger, phrases(), **known).rows == 20
        assert len(drawn) == 3
    assert len(spends(ledger)) == 1


def rewritten(place, change) -> list:
    """Every large stored value of a ledger's file after `change`; gives what stood there."""
    before = []
    with sqlite3.connect(place) as store:
        for (table,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for column in [
                row[1] for row in store.execute(f"PRAGMA table_info({table})") if row[2] == "BLOB"
            ]:
                for number, value in store.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
                    if isinstance(value, bytes) and len(value) > 100:
                        store.execute(
                            f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (change(value), number)
                        )
                        before.append(value)
    store.close()
    return before


def test_a_forged_round_is_refused_and_costs_nothing(tmp_path, monkeypatch) -> None:
    """Rounds stand under the ledger's chain. Once the true ones are back, the run goes on at no further cost."""
    place, made = tmp_path / "forged.ledger", phrases()
    vary = made.variation

    def down(*_):
        raise EndpointFailed("the model is down.", "Try again.")

    made.variation = down
    with Ledger(place, limit=pv.ZeroConcentratedDP(50)) as book, pytest.raises(EndpointFailed):
        evolved(notes(), book, made)
    made.variation = vary
    true = rewritten(place, lambda value: value[:-4] + b"0000")
    assert len(true) == 1
    with Ledger(place) as book, pytest.raises(LedgerTampered):
        evolved(notes(), book, made)
    rewritten(place, lambda _: true[0])
    with Ledger(place) as book, counted_draws(monkeypatch) as drawn:
        assert evolved(notes(), book, made).rows == 20
        assert len(drawn) == 2
        assert len(spends(book)) == 1


@pytest.mark.usefixtures("no_noise")
@pytest.mark.parametrize(
    "odd", ["nan", "infinite", "huge", "copies", "another label", "nobody's", "a thousand"]
)
def test_one_person_more_among_pictures_moves_no_round_further_than_one_vote(
    tmp_path, monkeypatch, odd
) -> None:
    draws = np.random.default_rng(0)
    pixels, labels = draws.random((30, 8, 8)), [str(at % 2) for at in range(30)]
    persons = [f"p{at // 3}" for at in range(30)]
    many = 1_000 if odd == "a thousand" else 3
    more = {"nan": np.nan, "infinite": -np.inf, "huge": 1e300, "copies": 0.5}.get(odd)
    extra = np.full((many, 8, 8), more) if more is not None else draws.random((many, 8, 8))
    seen = []
    real = run.sealed_votes
    monkeypatch.setattr(run, "sealed_votes", lambda *a, **k: seen.append(real(*a, **k)) or seen[-1])
    pictures = list(draws.random((24, 8, 8)))
    generator = CallableGenerator(
        lambda count, _: (pictures * 9)[:count],
        lambda some, *_: list(some),
        pack=np.ndarray.tolist,
        unpack=np.array,
    )
    known = {
        "text": None,
        "label": None,
        "labels": ["0", "1"],
        "shares": {"0": 0.5, "1": 0.5},
        "embedder": None,
    }
    for at, there in enumerate((False, True)):
        images = pv.Images(
            np.concatenate([pixels, extra]) if there else pixels,
            labels=[*labels, *(["9" if odd == "another label" else "1"] * many if there else [])],
            persons=[*persons, *([None if odd == "nobody's" else "new"] * many if there else [])],
            max_rows=3,
        )
        with Ledger(tmp_path / f"{at}.ledger", limit=pv.ZeroConcentratedDP(50)) as book:
            evolved(
                images, book, generator, settings=EvolutionSettings(rounds=1, population=12, votes=2), **known
            )
    without, with_ = seen
    moved = with_._exact.astype(object) - without._exact.astype(object)
    assert sum(moved**2) <= without.sensitivity.squares
    assert np.count_nonzero(moved) <= without.sensitivity.coordinates

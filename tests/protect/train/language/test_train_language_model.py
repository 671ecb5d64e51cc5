"""Training on texts: what is booked is what the card says, units are bounded, a killed run goes on, and bad input is refused first."""

import os
import shutil
import signal
import subprocess
import sys

import pyarrow as pa
import pytest
import torch
from tests.protect.train.language.small_runs import NOTES, PROMISE, PUBLIC, ledger, once, recipe, trained

import privet as pv
from privet.errors import BadTraining, BudgetExceeded, PrivetError
from privet.mechanism import _gradient_noise as gradient_noise
from privet.protect.train.gradients import StepSpeed
from privet.protect.train.language import NetworkShape
from privet.protect.train.language._network_shape import fresh_network

RESUMED = """
import os, signal, sys
from pathlib import Path
from tests.protect.train.language.test_train_language_model import go_on
go_on(Path(sys.argv[1]), lambda shown: os.kill(os.getpid(), signal.SIGKILL) if shown.step == 2 else None)
"""


def go_on(folder, progress=None):
    with pv.Ledger(folder / "a.ledger", limit=PROMISE) as book:
        speed = StepSpeed(physical=16, every=1)
        return trained(book=book, folder=folder / "run", speed=speed, progress=progress)


def weights(made):
    return torch.cat([one.detach().reshape(-1) for one in made.network.parameters()])


def table(rows=NOTES, **unit):
    given = pa.table({"who": [at // 2 for at in range(len(rows))], "note": rows})
    return pv.open_table(given, unit=unit.get("unit", pv.Person("who", max_rows=2)))


def test_what_is_booked_is_what_is_said() -> None:
    made = once()
    assert made.record.unit == {
        "unit": "person",
        "column": "document",
        "change": "add-or-remove",
        "max_rows": 4,
    }
    assert made.receipt.unit == made.record.unit
    assert "a given 'document'" in made.record.sentence
    assert "One document is one text, cut into sequences of 16 tokens" in made.record.sentence
    assert made.record.sentence.startswith("Whatever an attacker already knows")
    assert float(made.receipt.cost["epsilon"]) <= 8


def test_the_curve_is_of_public_text_and_goes_down() -> None:
    curve = once().record.curve
    assert [step for step, _ in curve] == [1, 2, 3, 4]
    assert curve[-1][1] < curve[0][1]


@pytest.mark.parametrize("unit", ["sequence", "document", "person"])
def test_a_unit_moves_a_step_by_no_more_than_the_bound(unit, monkeypatch) -> None:
    """The exact sums that noise is added to, with one unit and without it: at the same weights, and all units in the batch."""
    seen = []

    def kept(sums, *rest):
        seen.append([one.copy() for one in sums])
        return tuple(0 * one for one in sums)

    monkeypatch.setattr(gradient_noise, "noised", kept)
    texts = [*NOTES[:6], "x" * 500]
    who = [0, 0, 1, 1, 2, 2, 3]
    given = {
        "sequence": {"unit": "sequence"},
        "document": {"unit": "document"},
        "person": {"unit": pv.Person("who"), "people": who},
    }[unit]
    everybody = recipe(batch=7, steps=1, pooling="sum" if unit != "sequence" else "mean")
    for some in (texts, texts[:-1]):
        people = {"people": who[: len(some)]} if unit == "person" else {}
        trained(some, records=7, recipe=everybody, **{**given, **people})
    whole, fewer = (sum(float(one.sum()) for one in sums) for sums in seen)
    moved = sum(float(((one - other) ** 2).sum()) for one, other in zip(*seen, strict=True)) ** 0.5
    assert whole != fewer
    most = 1 if unit != "sequence" else -(-502 // 16)  # each sequence of the long text is a unit of its own
    assert moved <= most * (1 + 1e-3)


def test_people_are_hidden_by_what_a_table_says() -> None:
    with pv.Ledger.in_memory(limit=PROMISE, unit=pv.Person("who")) as book:
        made = trained(table(), book, unit=None, records=24)
    assert made.record.unit["column"] == "who"
    assert made.record.terms.kind == "person"
    assert "All texts of a unit are joined" in made.record.sentence
    assert made.receipt.data


def test_rows_that_are_texts_can_be_documents() -> None:
    rows = table(unit=pv.Row())
    made = trained(rows, unit="document")
    assert made.record.terms.kind == "document"
    assert trained(rows, unit=None).record.unit["unit"] == "row"
    with pytest.raises(BadTraining, match="says itself"):
        trained(table(), unit="document")


def test_a_killed_run_goes_on_to_the_same_weights_under_one_entry(tmp_path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RESUMED, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ},
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    shutil.copytree(tmp_path, tmp_path / "again", ignore=shutil.ignore_patterns("again"))
    one = go_on(tmp_path)
    # The same folder once more, as it was when it was killed: every step that is left draws the same noise.
    shutil.rmtree(tmp_path / "run")
    shutil.copytree(tmp_path / "again" / "run", tmp_path / "run")
    other = go_on(tmp_path)
    assert torch.equal(weights(one), weights(other))
    assert one.receipt == other.receipt
    with pv.Ledger(tmp_path / "a.ledger", limit=PROMISE) as book:
        assert [entry.kind for entry in book.history()].count("spend") == 1


def test_other_texts_are_not_taken_for_those_of_a_killed_run(tmp_path) -> None:
    class Stopped(Exception):
        pass

    def stop(shown):
        raise Stopped

    with pytest.raises(Stopped):
        go_on(tmp_path, stop)
    with pv.Ledger(tmp_path / "a.ledger", limit=PROMISE) as book, pytest.raises(BadTraining, match="differ"):
        trained([*NOTES[:-1], "other"], book, folder=tmp_path / "run", speed=StepSpeed(physical=16, every=1))


def test_it_stops_where_the_promise_is_used_up_with_a_model_that_answers() -> None:
    made = trained(recipe=recipe(steps=None, noise_multiplier=4.0))
    assert made.record.plan["steps"] > 4
    assert isinstance(made.generate("the", tokens=3)[0], str)


def test_more_than_the_budget_is_refused_before_a_step() -> None:
    with pytest.raises(BudgetExceeded):
        trained(book=ledger(pv.ApproxDP(1, 1e-5)))


def test_public_text_is_learned_from_first() -> None:
    cold, warm = once(), trained(public=PUBLIC, public_steps=30, held_out=PUBLIC)
    assert warm.record.curve[0][1] < cold.record.curve[0][1] - 0.5
    assert "after 30 steps on public texts" in warm.card()


@pytest.mark.parametrize("lora", [None, 2])
def test_a_given_network_is_trained_whole_or_by_adapters(lora, tmp_path) -> None:
    base = fresh_network(NetworkShape("gpt2", 1, 16, 2), 257, 32, 256, 5)
    base.save_pretrained(tmp_path / "base")
    with torch.no_grad():
        ids = torch.arange(10)[None]
        before = base(ids).logits
    made = trained(recipe=recipe(model=str(tmp_path / "base"), tokenizer="bytes", lora=lora, rate=0.05))
    assert not torch.allclose(made.network(ids).logits, before, atol=1e-3)
    assert made.record.weights == sum(one.numel() for one in base.parameters())
    assert ("adapters of rank 2" in made.card()) == (lora is not None)
    assert str(tmp_path) not in str(made.record.to_json())
    again = pv.load_language_model(made.save(tmp_path / "out"))
    assert torch.equal(weights(again), weights(made))
    assert str(tmp_path).encode() not in (tmp_path / "out" / "config.json").read_bytes()


@pytest.mark.parametrize(
    ("texts", "given", "said"),
    [
        ([], {}, "no texts"),
        (["", None], {}, "no texts"),
        (["a", 5], {}, "something else"),
        ("one text", {}, "a list of them"),
        (NOTES, {"unit": None}, "whose presence"),
        (NOTES, {"unit": pv.Person("who")}, "people are given"),
        (NOTES, {"people": [1] * 24}, "people are given"),
        (NOTES, {"text": "note"}, "names a column"),
        (NOTES, {"records": 0}, "records"),
        (table(), {"unit": None, "text": "nothing"}, "no column 'nothing'"),
        (table(), {"unit": None, "text": "who"}, "says whose a text is"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_spent(texts, given, said) -> None:
    book = ledger()
    with pytest.raises(PrivetError, match=said):
        trained(texts, book, **given)
    assert not [entry for entry in book.history() if entry.kind == "spend"]


def test_a_network_that_is_too_small_for_its_tokens_is_refused(tmp_path) -> None:
    fresh_network(NetworkShape("gpt2", 1, 16, 2), 100, 32, 99, 5).save_pretrained(tmp_path)
    with pytest.raises(BadTraining, match="knows 100"):
        trained(recipe=recipe(model=str(tmp_path), tokenizer="bytes"))

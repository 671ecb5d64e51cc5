"""Records without a signature may say anything: each is read whole or refused in our words, never taken and failed on later."""

import copy
import json
import random

import numpy as np
import pyarrow as pa
import pytest
from tests.artifact.test_released_model import model, rows
from tests.artifact.test_released_output import MADE
from tests.artifact.test_released_table import released
from tests.artifact.test_released_twin import twin
from tests.evidence.keys import KEYS, signing

import privet as pv
from privet.artifact import (
    ReleasedAnswer,
    ReleasedHierarchy,
    ReleasedModel,
    ReleasedOutput,
    ReleasedTable,
    ReleasedTwin,
    ReleasedTwins,
    record_digest,
    sign_file,
)
from privet.errors import EvidenceBroken, PrivetError
from privet.evidence import HISTORY, TRUSTED

# What stands in the place of a value: another kind, beyond all use, or endless work for whoever takes it for an amount.
OTHERS = (
    None,
    -1,
    0,
    10**18,
    1e308,
    float("nan"),
    True,
    "x",
    "9" * 5000,
    "1/0",
    "1e999999999",
    [],
    [[]],
    {},
    {"a": 1},
)
EACH = 250  # changes of each record


def places(value, so_far=()):
    """Every place in a record; of a list the first two."""
    if so_far:
        yield so_far
    pairs = (
        value.items()
        if isinstance(value, dict)
        else list(enumerate(value))[:2]
        if isinstance(value, list)
        else ()
    )
    for name, one in pairs:
        yield from places(one, (*so_far, name))


def changed(record, place, value, *, out=False):
    made = copy.deepcopy(record)
    at = made
    for part in place[:-1]:
        at = at[part]
    if out:
        del at[place[-1]]
    else:
        at[place[-1]] = value
    return made


def answer():
    table = pv.open_table(
        pa.table({"who": range(40), "ward": ["a", "b"] * 20, "days": np.arange(40.0)}),
        unit=pv.Person("who", max_rows=1),
    )
    question = table.group_by("ward", keys=["a", "b"]).agg(n=pv.count(), days=pv.mean("days", bounds=(0, 40)))
    ledger = pv.Ledger.in_memory(limit=pv.PureDP(1))
    return pv.release(question, pv.PureDP(1), ledger=ledger, why="a test").to_json()


def shown(made):
    str(made), made._repr_html_()


def used(made):
    """A model is shown, and predicts."""
    shown(made)
    made.card(), made.predict(rows([1.0, None], ["A", "C"]))
    if made.classes:
        made.predict_proba(rows([1.0, None], ["A", "C"]))


KINDS = {
    "answer": (answer, ReleasedAnswer.from_json, shown),
    "table": (lambda: released().to_json(), ReleasedTable.from_json, shown),
    "twin": (lambda: twin().to_json(), ReleasedTwin.from_json, shown),
    "output": (MADE.to_json, ReleasedOutput.from_json, shown),
}


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_a_record_says_it_is_read_or_refused(kind):
    make, read, use = KINDS[kind]
    record = json.loads(json.dumps(make()))
    shown(read(record))
    assert tried(record, lambda made: use(read(made)), kind) > EACH // 5


def test_whatever_the_record_of_a_model_says_it_is_read_or_refused(tmp_path):
    target = model().save(tmp_path / "m")
    place = target / "model.json"
    record = json.loads(place.read_text())
    used(ReleasedModel.load(target))

    def use(made):
        made.pop("digest", None)
        place.write_text(json.dumps({**made, "digest": record_digest(made)}))
        used(ReleasedModel.load(target))

    assert tried(record, use, "model") > EACH // 5


def tried(record, use, kind):
    """How many were refused; any other failure, and work without end, fails here."""
    draw = random.Random(kind)
    every = [(place, value) for place in places(record) for value in (*OTHERS, "out")]
    refused = 0
    for place, value in draw.sample(every, min(EACH, len(every))):
        try:
            use(changed(record, place, value, out=value == "out"))
        except PrivetError:
            refused += 1
        except Exception as problem:
            raise AssertionError((kind, place, value)) from problem
    return refused


def test_amounts_that_are_endless_work_are_refused_in_every_receipt():
    record = answer()
    for name in ("cost", "remaining"):
        for amount in ("1e999999999", "1/0", "a lot", 1, None):
            made = copy.deepcopy(record)
            made["receipt"][name]["epsilon"] = amount
            with pytest.raises(pv.errors.UnknownRecord):
                ReleasedAnswer.from_json(made)


# --- every kind of artifact says whether it is signed -------------------------------------------


def test_every_artifact_that_is_read_back_knows_its_standing():
    for kind in (
        ReleasedAnswer,
        ReleasedHierarchy,
        ReleasedModel,
        ReleasedOutput,
        ReleasedTable,
        ReleasedTwin,
        ReleasedTwins,
    ):
        fields = getattr(kind, "__dataclass_fields__", {})
        assert "standing" in fields or isinstance(vars(kind).get("standing"), property), kind.__name__
    from privet import artifact

    loaded = {
        name
        for name in dir(artifact)
        if name.startswith("Released") and hasattr(getattr(artifact, name), "load")
    }
    assert len(loaded) == 7, "a new kind joins the list above"


@pytest.mark.parametrize("kind", ["twin", "output"])
def test_twins_and_outputs_are_signed_claimed_or_refused(tmp_path, monkeypatch, kind):
    (tmp_path / HISTORY).write_text(json.dumps(KEYS.to_json()))
    monkeypatch.setenv(TRUSTED, str(tmp_path / HISTORY))
    made, load = {"twin": (twin(), ReleasedTwin.load), "output": (MADE, ReleasedOutput.load)}[kind]
    place = made.save(tmp_path / "made.json")
    found = load(place)
    assert found.standing.word == "claimed"
    assert found.standing.sentence() in str(found)
    sign_file(place, signing())
    found = load(place)
    assert found.standing.believed
    assert found.standing.sentence() in found._repr_html_()
    record = json.loads(place.read_text())
    record["notes"] = ["all is well"]
    place.write_text(json.dumps(record))
    with pytest.raises(EvidenceBroken):
        load(place)


def test_rows_put_under_the_signed_record_of_a_twin_are_refused(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    (tmp_path / HISTORY).write_text(json.dumps(KEYS.to_json()))
    monkeypatch.setenv(TRUSTED, str(tmp_path / HISTORY))
    place = twin().save(tmp_path / "twin.parquet")
    sign_file(place, signing())
    assert ReleasedTwin.load(place).standing.believed
    table = pq.read_table(place)
    pq.write_table(table.slice(1), place)
    with pytest.raises(EvidenceBroken):
        ReleasedTwin.load(place)

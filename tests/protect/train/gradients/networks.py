"""A small network that was trained once, saved and changed in the ways that forgers change things."""

import json
from functools import lru_cache

from tests.protect.train.gradients.runs import data, net, planned

import privet as pv
from privet.artifact._signed_files import record_digest

CLASSES = ("icu", "eye", "burns")


@lru_cache(maxsize=1)
def trained():
    """Sixty records, four steps, rho 0.5. Whoever changes its weights takes a copy."""
    model = net()
    ledger = pv.Ledger.in_memory(limit=pv.ZeroConcentratedDP(1), unit=pv.Row())
    return pv.train_model(model, data(), planned(model), ledger=ledger, why="which ward")


def saved(folder, **given):
    return trained().save(folder, target="ward", classes=CLASSES, **given)


def read(folder):
    record = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    record.pop("digest")
    return record


def written(folder, record):
    text = json.dumps({**record, "digest": record_digest(record)})
    (folder / "model.json").write_text(text, encoding="utf-8")

"""Small private runs on made-up notes, all with one plan, so that it is priced once."""

from functools import lru_cache

import torch

import privet as pv
from privet.protect.train.gradients import StepSpeed
from privet.protect.train.language import LanguageRecipe, train_language_model

WORDS = [
    "patient",
    "ward",
    "stable",
    "fever",
    "calm",
    "slept",
    "walked",
    "nurse",
    "home",
    "care",
    "pain",
    "rest",
]
NOTES = [f"{WORDS[at % 12]} {WORDS[at * 5 % 12]} {WORDS[at * 7 % 11]}." for at in range(24)]
PUBLIC = ["the patient slept.", "no change on the ward."]
PROMISE = pv.ApproxDP(8, 1e-5)
PLAN = {"steps": 4, "batch": 12}


def recipe(**given):
    return LanguageRecipe(**{"model": "llama-1x16", "sequence": 16, **PLAN, **given})


def ledger(limit=PROMISE):
    return pv.Ledger.in_memory(limit=limit)


def trained(texts=None, book=None, **given):
    """One run on one thread."""
    torch.set_num_threads(1)
    settings = {
        "recipe": recipe(),
        "unit": "document",
        "records": 24,
        "speed": StepSpeed(physical=16),
        **given,
    }
    book = ledger() if book is None else book
    return train_language_model(
        NOTES if texts is None else texts, PROMISE, ledger=book, why="a test", **settings
    )


@lru_cache(maxsize=1)
def once():
    """A model that is trained once; whoever changes it takes a copy."""
    return trained(held_out=PUBLIC)

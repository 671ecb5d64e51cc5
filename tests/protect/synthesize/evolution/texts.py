"""Made-up private texts, and phrases that are public, for tests of evolution."""

import numpy as np
import pyarrow as pa

import privet as pv
from privet.protect.synthesize.evolution import Phrases

WORDS = {
    "who": ["A child", "A man", "A woman", "A nurse"],
    "what": ["cough", "fever", "rash", "fracture", "burn", "wound"],
    "then": ["sent home", "kept overnight", "operated on", "given tablets"],
}
LABELS = ["medicine", "surgery"]
PRIVATE = {
    "medicine": ["A child with cough and fever was given tablets", "A woman had fever and cough"],
    "surgery": ["A man with a fracture was operated on", "The wound was closed, operated on at once"],
}


def phrases() -> Phrases:
    return Phrases(["{who} had {what} and was {then}.", "{what}, {then}"], WORDS)


def notes(people: int = 200, rows: int = 1, *, seed: int = 0, **unit) -> pv.Table:
    draws = np.random.default_rng(seed)
    persons = np.repeat(np.arange(people), rows)
    wards = [LABELS[int(draws.random() < 0.25)] for _ in persons]
    texts = [PRIVATE[ward][int(draws.integers(2))] + f" canary{at:05}" for at, ward in enumerate(wards)]
    table = pa.table({"id": [f"p{one}" for one in persons], "note": texts, "ward": wards})
    return pv.open_table(
        table, unit=pv.Person("id", max_rows=rows, **unit), version=f"notes {people} {rows} {seed}"
    )

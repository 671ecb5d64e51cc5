"""A twin of clinical notes by Private Evolution: private notes vote, public phrases breed, and no note leaves."""

import tempfile
from pathlib import Path

import pyarrow as pa

import privet as pv

WARDS = ["medicine", "surgery"]
NOTES = {
    "medicine": ["Fever and cough for a week, given tablets.", "Chest pain, kept overnight, sent home."],
    "surgery": ["Fracture of the arm, operated on.", "Deep wound, closed and kept overnight."],
}

# Public phrases stand in for a language model: pv.LocalLanguageModel("model.gguf") or
# pv.OpenAICompatible("http://127.0.0.1:8080/v1", "smollm2") take their place without another change.
writer = pv.Phrases(
    ["{what}, {then}.", "{what} for a week, {then}.", "{what} and {what}, {then}."],
    {
        "what": ["Fever", "Cough", "Chest pain", "Fracture", "Deep wound", "Burn", "Rash"],
        "then": ["given tablets", "operated on", "kept overnight", "sent home", "closed at once"],
    },
)


def private_notes(people: int = 600) -> pv.Table:
    wards = [WARDS[person % 3 == 0] for person in range(people)]
    return pv.open_table(
        pa.table(
            {
                "patient": [f"p{person}" for person in range(people)],
                "note": [NOTES[ward][person % 2] for person, ward in enumerate(wards)],
                "ward": wards,
            }
        ),
        unit=pv.Person("patient", max_rows=1),
    )


with (
    tempfile.TemporaryDirectory() as folder,
    pv.Ledger(Path(folder, "notes.ledger"), limit=pv.ApproxDP(8, 1e-5)) as ledger,
):
    twin = pv.synthesize(
        private_notes(),
        pv.ApproxDP(4, 1e-6),
        generator=writer,
        text="note",
        label="ward",
        labels=WARDS,  # public; how common each is gets bought for a twentieth of the budget
        rows=100,
        evolution=pv.EvolutionSettings(rounds=4, population=40),
        ledger=ledger,
        why="notes for a course",
    )
    for row in twin.to_arrow().slice(0, 5).to_pylist():
        print(f"{row['ward']:9} {row['note']}")
    print(twin.sentence())
    print(ledger.balance())

"""The record says whom it is for, and figures that could not be had are no numbers."""

import json

from privet.protect.synthesize.fidelity._embedding_overlap import EmbeddingOverlap
from privet.protect.synthesize.fidelity._twin_fidelity import TwinFidelity

FOUND = TwinFidelity(
    "mst",
    "a promise.",
    (10, 20),
    "20 real rows",
    (0.0, 0.1),
    0.0,
    embedding=EmbeddingOverlap("words", float("nan"), 0.5, 1.0, 0.2, (10, 20), 3),
)


def test_it_is_for_the_owner_wherever_it_goes(tmp_path) -> None:
    saved = FOUND.save(tmp_path / "found.json")
    assert saved.stat().st_mode & 0o077 == 0
    record = json.loads(saved.read_text(encoding="utf-8"))
    assert record["audience"] == "owner"
    assert record["artifact"] == "twin-fidelity"
    assert record["embedding"]["precision"] is None
    assert "Do not publish" in str(FOUND)

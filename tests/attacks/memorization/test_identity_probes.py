"""Identity probes: values that were trained on come out of a parrot, and no others; a value of several texts does not count."""

import pytest
from tests.attacks.memorization.tiny_models import parrot

from privet.attacks._attack_registry import Case
from privet.attacks.memorization import PROBES, Probe
from privet.attacks.memorization._identity_probes import identity_probes
from privet.errors import BadAttack, NoPower
from privet.guarantee import ApproxDP

TRAINED = [f"For ward number {at:02d} please call 030-{1000 + 7 * at:04d}-{at:02d} soon." for at in range(20)]
CONTROL = [f"For ward number {at:02d} please call 040-{1001 + 7 * at:04d}-{at:02d} soon." for at in range(20)]
ASKED = {"telephone": Probe(PROBES["telephone"].pattern, tuple(one[:20] for one in TRAINED))}


def test_patterns_find_what_they_are_for() -> None:
    text = "Spoke with Anna-Maria Berg, call +49 (30) 123-456 or a.berg@ward.example, record MR-123456."
    assert PROBES["name"].values(text) == {"Anna-Maria Berg"}
    assert PROBES["telephone"].values(text) >= {"+49 (30) 123-456"}
    assert PROBES["e-mail"].values(text) == {"a.berg@ward.example"}
    assert PROBES["record number"].values(text) == {"MR-123456"}
    assert Probe(r"ward (\d+)", ()).values("ward 7 and ward 8") == {"7", "8"}


def test_trained_values_come_out_of_a_model_that_knows_them() -> None:
    settings = {"probes": ASKED, "draws": 2}
    case = Case(members=TRAINED, control=CONTROL, promise=ApproxDP("0.5", 1e-6), settings=settings)
    found = identity_probes(parrot(TRAINED), case)
    (row,) = found.details["by kind"]
    assert row["trained out"] == 20
    assert row["control out"] == 0
    assert found.found_something
    assert found.success.low > found.bound
    nothing = identity_probes(parrot([]), case)
    assert nothing.details["by kind"][0]["trained out"] == 0
    assert nothing.details["by kind"][0]["trained at most"] > 0.1
    assert not any(one[31:42] in str(found.to_json()) for one in TRAINED)


def test_what_stands_in_several_texts_does_not_count() -> None:
    case = Case(
        members=[*TRAINED, TRAINED[0]], control=[*CONTROL, TRAINED[1]], settings={"probes": ASKED, "draws": 1}
    )
    (row,) = identity_probes(parrot([]), case).details["by kind"]
    assert (row["trained"], row["control"]) == (18, 20)


def test_texts_without_values_are_refused() -> None:
    with pytest.raises(NoPower):
        identity_probes(parrot([]), Case(members=["calm"] * 20, control=["rest"] * 20))
    with pytest.raises(BadAttack):
        identity_probes(parrot([]), Case(members=TRAINED, control=CONTROL, settings={"probes": 3}))

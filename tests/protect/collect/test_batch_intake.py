"""Batches: what fits is taken in random order, what does not is refused with a code, and keys are private."""

import json
import stat

import pytest
from tests.protect.collect.specifications import ALL, collection, values_for

from privet.errors import DeviceProblem, ForeignReports
from privet.protect.collect import _batch_intake, deployment_key, intake
from privet.protect.collect._report_validation import read_reports

ID = "0123456789abcdef" * 2


def line(report, name=ID, **more):
    return json.dumps({"id": name, "report": report, **more}).encode()


@pytest.mark.parametrize("kind", ALL)
def test_reports_of_every_kind_are_taken_as_they_were_sent(kind) -> None:
    made = collection(kind)
    sent = made.lines(made.randomize(values_for(kind, 5)))
    body = b"\n".join(line(json.loads(one), f"{number:032x}") for number, one in enumerate(sent))
    found = intake(body + b"\n\n", made)
    assert not any(found.refused.values())
    assert [one for _, one in sorted(found.reports)] == sent


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"no json", "malformed"),
        (b"[]", "malformed"),
        (b'{"id": 3, "report": {}}', "malformed"),
        (line({}, "short"), "malformed"),
        (line({"value": 1}, sender="me"), "malformed"),
        (line({"collection": "0" * 32, "value": 1}), "foreign"),
        (line({"value": 1}), "foreign"),
        (b'{"id": "' + ID.encode() + b'", "report": {"collection": NaN}}', "foreign"),
        (b"[" * 100_000, "malformed"),
        (b'{"id": "' + b"a" * 2_000_000 + b'"}', "malformed"),
    ],
)
def test_lines_that_are_no_reports_are_refused_with_a_code(body, code) -> None:
    found = intake(body, collection("grr"))
    assert not found.reports
    assert {what: many for what, many in found.refused.items() if many} == {code: 1}


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"value": 12}, "outside"),
        ({"value": -1}, "outside"),
        ({"value": 2**70}, "outside"),
        ({}, "outside"),
        ({"value": "1"}, "malformed"),
        ({"value": True}, "malformed"),
        ({"value": 1.0}, "malformed"),
        ({"value": float("nan")}, "malformed"),
        ({"value": [1]}, "malformed"),
        ({"value": 1, "ip": "192.0.2.1"}, "malformed"),
    ],
)
def test_reports_that_do_not_fit_are_refused_and_the_others_taken(more, code) -> None:
    made = collection("grr")
    good = line({"collection": made.fingerprint, "value": 3}, "f" * 32)
    found = intake(good + b"\n" + line({"collection": made.fingerprint, **more}), made)
    assert [name for name, _ in found.reports] == ["f" * 32]
    assert {what: many for what, many in found.refused.items() if many} == {code: 1}


def test_the_order_of_a_batch_is_gone() -> None:
    """False alarm: one in 60!, about 1e-82."""
    made = collection("grr")
    sent = [line({"collection": made.fingerprint, "value": 1}, f"{number:032x}") for number in range(60)]
    names = [name for name, _ in intake(b"\n".join(sent), made).reports]
    assert names != sorted(names)
    assert len(set(names)) == 60


def test_a_key_is_made_once_and_is_private(tmp_path) -> None:
    path = tmp_path / "collector.key"
    key = deployment_key(path)
    assert deployment_key(path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    with pytest.raises(DeviceProblem, match="others"):
        deployment_key(path)
    path.chmod(0o600)
    path.write_text("short")
    with pytest.raises(ForeignReports):
        deployment_key(path)


def test_a_batch_is_looked_through_once_however_many_of_it_are_wrong(monkeypatch) -> None:
    """Every second report is wrong: one look, where halving would take as many as there are reports."""
    looks = []

    def read(table, collection):
        looks.append(len(table))
        return read_reports(table, collection)

    monkeypatch.setattr(_batch_intake, "read_reports", read)
    made = collection("grr")
    good = json.loads(made.lines(made.randomize(["v1"]))[0])
    wrong = {**good, "value": 99}
    lines = [{"id": f"{at:032x}", "report": wrong if at % 2 else good} for at in range(400)]
    found = intake("\n".join(map(json.dumps, lines)).encode(), made)
    assert looks == [400]
    assert {name for name, _ in found.reports} == {f"{at:032x}" for at in range(0, 400, 2)}
    assert found.refused["outside"] == 200

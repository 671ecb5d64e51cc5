"""An outsider with the public keys alone finds whatever was changed in a run's files, and where the chain breaks."""

import json
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.pipeline.forgery import STRANGER, asked_otherwise, bare, chained, lines_of, told, write_lines

from privet.artifact import content_digest, sign_file
from privet.dataset import public_keys_of, rotate_signing_key, signing_of
from privet.evidence import Signing
from privet.pipeline import verify
from privet.pipeline._run_journal import LINE_DOMAIN


def leaves(value, path=()):
    """Every place of a record that holds a plain value."""
    if isinstance(value, dict):
        return [found for name, part in value.items() for found in leaves(part, (*path, name))]
    if isinstance(value, list):
        return [found for at, part in enumerate(value) for found in leaves(part, (*path, at))]
    return [path]


def other_than(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value}x" if isinstance(value, str) else "something"


def altered(record, path):
    changed = json.loads(json.dumps(record))
    part = changed
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = other_than(part[path[-1]])
    return changed


@pytest.mark.parametrize(
    "name", ["public/safe.parquet", "public/beds.json", "owner/journal.jsonl", "owner/run.json"]
)
def test_a_missing_file_is_named(given_run, keys, name):
    (given_run / "out" / name).unlink()
    found = verify(given_run / "out", key=keys)
    assert {name, name.partition("/")[2]} & {one.of for one in found.broken}


def test_a_swapped_file_is_named(given_run, keys):
    """Another table of the same key and policy, signed for itself."""
    table = given_run / "out" / "public" / "safe.parquet"
    sign_file(table, signing_of(given_run).following(step="0" * 64))
    assert verify(table, key=keys).proven
    assert "swapped" in told(verify(given_run / "out", key=keys))


def test_a_file_from_another_run_is_named(given_run, keys):
    """Everything but the answer and its record is of the one run."""
    before = {
        name: (given_run / "out" / name).read_bytes() for name in ("owner/run.json", "public/beds.json")
    }
    asked_otherwise(given_run)
    for name, content in before.items():
        (given_run / "out" / name).write_bytes(content)
    said = told(verify(given_run / "out", key=keys))
    assert "of another run" in said
    assert "from another run" in said


def test_a_file_that_no_run_made_is_named(given_run, keys):
    shutil.copy(given_run / "out" / "public" / "beds.json", given_run / "out" / "public" / "more.json")
    assert "no run says that it made it" in told(verify(given_run / "out", key=keys))


def test_a_truncated_journal_is_named(given_run, keys):
    write_lines(given_run, lines_of(given_run)[:-1])
    assert "cut short" in told(verify(given_run / "out", key=keys))


def test_a_journal_with_a_line_taken_out_is_named(given_run, keys):
    lines = lines_of(given_run)
    write_lines(given_run, [*lines[:2], *lines[3:]])
    assert "does not follow from the one before it" in told(verify(given_run / "out", key=keys))


def test_a_signature_after_the_key_s_end_is_named(given_run):
    old = signing_of(given_run)
    history = rotate_signing_key(given_run)
    answer = given_run / "out" / "public" / "beds.json"
    assert verify(answer, key=history).proven
    sign_file(answer, Signing(old.signer, old.keys))
    assert "was rotated out" in told(verify(answer, key=history))


def test_a_run_over_a_rotation_is_proven(given_run):
    rotate_signing_key(given_run)
    asked_otherwise(given_run)
    for report in (given_run / "out").glob("*/report*"):  # of the run before
        report.unlink()
    history = public_keys_of(given_run)
    assert len(history.keys) == 2
    assert verify(given_run / "out", key=history, ledger=given_run / "stays.ledger").proven


def test_everything_hashed_and_signed_again_by_a_forger_is_named(given_run, keys):
    """Somebody who can write all files changes the epsilon and closes every chain again with a key of their own."""
    out, beds = given_run / "out", given_run / "out" / "public" / "beds.json"
    answer = json.loads(beds.read_text())
    answer["promise"]["epsilon"] = "0.001"
    beds.write_text(json.dumps(STRANGER.signed(answer)))
    lines = bare(lines_of(given_run))
    for line in lines:
        if line["what"] in ("made", "done") and line["step"] == "beds":
            part = line["made"] if line["what"] == "made" else line["record"]["made"]
            part["digest"] = content_digest(beds)
    write_lines(given_run, chained(lines, lambda line: STRANGER.signed(line, LINE_DOMAIN)))
    said = told(verify(out, key=keys))
    assert "key was replaced" in said
    assert not verify(beds, key=keys).proven


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_field_of_whatever_file_is_altered_verification_fails(data, whole, keys, tmp_path_factory):
    name = data.draw(
        st.sampled_from(
            [
                "owner/run.json",
                "public/beds.json",
                "owner/report.json",
                "public/risk/model.json",
                "owner/journal.jsonl",
                "owner/report.html",
                "public/risk/card.md",
                "public/risk/model.safetensors",
                "public/safe.parquet",
            ]
        )
    )
    folder = tmp_path_factory.mktemp("altered") / "out"
    shutil.copytree(whole / "out", folder)
    file = folder / name
    if name == "owner/journal.jsonl":
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        at = data.draw(st.integers(0, len(lines) - 1))
        lines[at] = altered(lines[at], data.draw(st.sampled_from(leaves(lines[at]))))
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    elif name.endswith(".json"):
        record = json.loads(file.read_text())
        file.write_text(json.dumps(altered(record, data.draw(st.sampled_from(leaves(record))))))
    else:
        content = bytearray(file.read_bytes())
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1
        file.write_bytes(bytes(content))
    found = verify(folder, key=keys)
    assert found.broken or not found.proven, name
    alone = folder / "/".join(name.split("/")[:2])
    if name not in ("owner/journal.jsonl", "public/safe.parquet"):
        assert not verify(alone, key=keys).proven, name

"""Policies and data that are wrong in every way: a code, a fact and a hint each, and nothing read, written or spent."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.app.test_policies import say
from tests.pipeline.hospital import ANONYMIZE, HEAD, RELEASE, TRAIN, patients, project

from privet import examples
from privet.ledger import Ledger

TEXT = f"{HEAD}steps:\n{ANONYMIZE}{RELEASE}limits: {{linkage-exact: 0.5}}\n"
GOOD = yaml.safe_load(TEXT)


def _places(content: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [here] if here else []
    inner = (
        content.items()
        if isinstance(content, dict)
        else enumerate(content)
        if isinstance(content, list)
        else ()
    )
    for key, value in inner:
        found += _places(value, (*here, key))
    return found


PLACES = _places(GOOD)
JUNK: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**20),
    st.floats(),
    st.text(max_size=12),
    st.lists(st.text(max_size=3), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.sampled_from(
        ["row", "name", "diagnosis", "../x", "TO BE STATED", "2020-01-01", "SELECT * FROM stays; DROP"]
    ),
)


def _mutated(content: Any, place: tuple[Any, ...], how: str, junk: Any) -> Any:
    content = json.loads(json.dumps(content, default=str))
    inner = content
    for key in place[:-1]:
        inner = inner[key]
    if how == "remove":
        del inner[place[-1]]
    elif how == "rename" and isinstance(inner, dict):
        inner[f"{place[-1]}x"] = inner.pop(place[-1])
    else:
        inner[place[-1]] = junk
    return content


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzzed")
    examples.write(folder / "stays.csv", examples.hospital(10, 7))
    return folder


@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    place=st.sampled_from(PLACES),
    how=st.sampled_from(["remove", "rename", "junk", "junk", "junk"]),
    junk=JUNK,
    run=st.sampled_from([True, False, False, False]),
)
def test_mutated_policies_end_politely_and_spend_nothing(
    fuzzed: Path,
    capsys: pytest.CaptureFixture[str],
    *,
    place: tuple[Any, ...],
    how: str,
    junk: Any,
    run: bool,
) -> None:
    policy = fuzzed / "privet.yaml"
    policy.write_text(yaml.safe_dump(_mutated(GOOD, place, how, junk), allow_unicode=True), encoding="utf-8")
    said = say(capsys, "plan", "-p", str(policy), "-o", str(fuzzed / "plan.json"), "--json")
    assert said.code in (0, 1, 2, 7, 8, 10), said.out
    assert said.json().get("error", {}).get("code") != "E-GENERAL-001", said.out  # no bug of ours
    assert "Traceback" not in said.err + said.out
    assert (said.code == 0) == ("error" not in said.json())
    if said.code and run:  # what cannot be planned is not run either
        assert say(capsys, "run", "-p", str(policy), "--json").code == said.code
    left = {file.name for file in fuzzed.rglob("*")}
    assert left <= {"privet.yaml", "stays.csv", "plan.json"}


def _broken_files() -> list[bytes]:
    good = b"patient_id,ward,days\n" + b"".join(b"%d,ICU,%d\n" % (n, n % 9) for n in range(60))
    heads = [good[:at] for at in range(0, 60, 6)]
    turned = [bytes((byte + at) % 256 for byte in good) for at in range(1, 16)]
    cut = [good.replace(b",", mark) for mark in (b"\x00", b"\xff", b"\n", b'"', b",,", b";", b"\t", b" ")]
    odd = [
        b"", b"\n", b"\n\n\n", b",,,\n", b"a,a\n1,2\n", b"\xef\xbb\xbf", b"\x1f\x8b\x08", b"PAR1", b"PAR1" * 9, b"{}",
        b"[1,2", b"a\n" + b"x" * 100_000, b"SQLite format 3\x00", b"\x00" * 500, good[::-1], b"patient_id\n", good + b'"',
    ]  # fmt: skip
    return [*heads, *turned, *cut, *odd]


BROKEN = _broken_files()


def test_broken_data_ends_politely_and_spends_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(BROKEN) == 50
    for number, content in enumerate(BROKEN):
        folder = tmp_path / str(number)
        folder.mkdir()
        ending = (".csv", ".parquet", ".jsonl")[number % 3] if number % 2 else ".csv"
        policy = folder / "privet.yaml"
        text = f"{HEAD}steps:\n{RELEASE}".replace("stays.csv", f"stays{ending}")
        policy.write_text(text, encoding="utf-8")
        (folder / f"stays{ending}").write_bytes(content)
        for command in ("plan",) if number % 5 else ("plan", "run"):
            said = say(capsys, command, "-p", str(policy), "--json")
            assert said.code in (1, 2), (number, said.out)
            assert said.json()["error"]["code"] != "E-GENERAL-001", (number, said.out)
            assert "Traceback" not in said.err + said.out
        assert sorted(file.name for file in folder.iterdir()) == ["privet.yaml", f"stays{ending}"]


def _bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]" for at in range(1, levels)]
    return "\n".join(lines) + "\n"


def _put(old: str, new: str) -> Callable[[], str]:
    def changed() -> str:
        assert old in TEXT
        return TEXT.replace(old, new, 1)

    return changed


# What was done to a good policy, and the exit code it must end with: 2 malformed, 7 forbidden, 8 not covered, 10 not said.
WRONG: dict[str, tuple[Callable[[], str], int]] = {
    "aliases that grow without end": (lambda: _bomb(12) + TEXT, 2),
    "an anchor": (_put("epsilon: 5", "epsilon: &e 5"), 2),
    "merge keys": (_put("  research:", "  <<: {}\n  research:"), 2),
    "a tab for indentation": (_put("  source:", "\tsource:"), 2),
    "a key twice": (_put("version: 1", "version: 1\nversion: 1"), 2),
    "a step's key twice": (_put("name: beds,", "name: beds, name: beds,"), 2),
    "two documents": (lambda: TEXT + "---\n" + TEXT, 2),
    "a tag": (_put("version: 1", "version: !!python/name:os.system 1"), 2),
    "nothing": (lambda: "", 2),
    "only a comment": (lambda: "# version: 1\n", 2),
    "a list": (lambda: "- version: 1\n", 2),
    "an open bracket": (lambda: TEXT + "vaults: {a: [\n", 2),
    "control characters": (_put("bed planning", "bed\x07planning"), 2),
    "a null byte": (_put("bed planning", "bed\x00planning"), 2),
    "half a character": (_put("bed planning", '"bed \\uD800 planning"'), 2),
    "deeper than anybody writes": (lambda: TEXT + "vaults: " + "[" * 500 + "]" * 500 + "\n", 2),
    "another version": (_put("version: 1", "version: 2"), 2),
    "a negative budget": (_put("epsilon: 5", "epsilon: -5"), 2),
    "no budget at all": (_put("epsilon: 5", "epsilon: 0"), 2),
    "not a number": (_put("epsilon: 5", "epsilon: .nan"), 2),
    "an endless budget": (_put("epsilon: 5", "epsilon: .inf"), 2),
    "an endless step": (_put("epsilon: 0.5", "epsilon: .inf"), 2),
    "a delta of one": (_put("delta: 1e-5", "delta: 1"), 2),
    "a number with letters": (_put("k: 3", "k: three"), 2),
    "half a person": (_put("k: 3", "k: 3.5"), 2),
    "k of one": (_put("k: 3", "k: 1"), 2),
    "a share beyond all": (_put("max_suppressed: 0.1", "max_suppressed: 1.1"), 2),
    "a date that is none": (_put("2090-06-30", "2090-02-31"), 2),
    "bounds the wrong way round": (_put("[0, 60]", "[60, 0]"), 2),
    "a misspelt part": (_put("purposes:", "purposses:"), 2),
    "a misspelt option": (_put("max_suppressed", "max_supressed"), 2),
    "a kind that is not there": (_put("do: anonymize", "do: anonymise"), 2),
    "a purpose that is not there": (_put("purpose: research", "purpose: reserch"), 2),
    "a limit on no attack": (_put("linkage-exact", "linkage-exakt"), 2),
    "a name that leads out of the folder": (_put("name: beds", "name: ../beds"), 2),
    "an output that leads out": (_put("name: beds,", "name: beds, to: ../../beds.json,"), 2),
    "an output over the run's own": (_put("name: beds,", "name: beds, to: run.json,"), 2),
    "two steps of one name": (_put("name: beds", "name: safe"), 2),
    "a question that is none": (_put("SELECT ward,", "DROP TABLE stays; SELECT ward,"), 2),
    "a question for rows": (
        _put("SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward", "SELECT ward FROM stays"),
        2,
    ),
    "a source that is not there": (_put("source: stays.csv", "source: stay.csv"), 2),
    "a source that is a folder": (_put("source: stays.csv", "source: ."), 2),
    "a source that cannot be reached": (_put("source: stays.csv", "source: gopher://nowhere/x"), 2),
    "a file that is not there": (_put("k: 3,", "k: 3, hierarchies: trees,"), 2),
    "an attack that is not there": (
        lambda: TEXT.replace(
            "limits:", "  - {do: attack, purpose: research, name: a, of: safe, attacks: [linkage]}\nlimits:"
        ),
        2,
    ),
    "a column that the source lacks": (_put("  born: {role: quasi}", "  birth: {role: quasi}"), 2),
    "an epsilon beyond all sense": (_put("epsilon: 0.5", "epsilon: 1e300"), 2),
    "a purpose with more than the data set": (_put("epsilon: 4", "epsilon: 6"), 7),
    "a purpose that has ended": (_put("2090-06-30", "2020-06-30"), 7),
    "a column outside the purpose": (_put("columns: [ward, days, sex, readmitted]", "columns: [days]"), 7),
    "an output outside the purpose": (_put("outputs: [table, report]", "outputs: [report]"), 7),
    "a recipient outside the purpose": (_put("name: safe,", "name: safe, recipient: press,"), 7),
    "more than the budget": (_put("epsilon: 0.5", "epsilon: 4.5"), 8),
    "no purpose": (_put("purpose: research, ", ""), 10),
    "no basis": (_put("    basis: GDPR Art. 89\n", ""), 10),
    "an empty basis": (_put("basis: GDPR Art. 89", "basis: ''"), 10),
    "no recipients": (_put("    recipients: [internal, university]\n", ""), 10),
    "no end": (_put("    expires: 2090-06-30\n", ""), 10),
    "no budget for what spends": (_put("    budget: {epsilon: 4, delta: 1e-6}\n", ""), 10),
    "no ledger": (_put("  ledger: stays.ledger\n", ""), 10),
    "no unit": (_put("  unit: {column: patient_id, max_rows: 6, max_groups: 2}\n", ""), 10),
    "a model of unbounded columns": (
        lambda: TEXT.replace("limits:", TRAIN.replace(", records: 150", "") + "limits:"),
        10,
    ),
}


@pytest.fixture(scope="module")
def wronged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wronged")
    return project(folder, ANONYMIZE)


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_with_a_policy_has_its_exit_code(
    wronged: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    text, code = WRONG[what]
    wronged.write_text(text(), encoding="utf-8", newline="\n")
    for command in ("plan", "run"):
        said = say(capsys, command, "-p", str(wronged), "--json")
        assert said.code == code, said.out[:500]
        error = said.json()["error"]
        assert error["code"] != "E-GENERAL-001", said.out
        assert error["message"]
        assert error["hint"], said.out
        left = {file.name for file in wronged.parent.rglob("*")}
        (wronged.parent / "plan.json").unlink(missing_ok=True)
        assert left == {"privet.yaml", "stays.csv"}


@pytest.mark.parametrize(
    "form",
    ["\ufeff" + TEXT, TEXT.replace("\n", "\r\n"), TEXT.replace("bed planning", "Bettenplanung für Köln 🏥")],
)
def test_how_editors_write_files_is_no_fault(
    wronged: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    wronged.write_bytes(form.encode())
    said = say(capsys, "plan", "-p", str(wronged), "-o", str(wronged.parent / "plan.json"), "--json")
    (wronged.parent / "plan.json").unlink(missing_ok=True)
    assert said.code == 0, said.out


def test_places_that_are_no_files_end_politely(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = project(tmp_path, RELEASE)
    source = tmp_path / "stays.csv"
    source.unlink()
    for make in (
        source.mkdir,
        lambda: source.symlink_to("stays.csv"),
        lambda: source.symlink_to("nowhere.csv"),
        lambda: source.symlink_to("/dev/null"),
        lambda: source.symlink_to("/proc/self/mem"),
        lambda: source.symlink_to(tmp_path),
    ):
        make()
        for command in ("plan", "run"):
            said = say(capsys, command, "-p", str(policy), "--json")
            assert said.code in (1, 2), said.out
            assert said.json()["error"]["code"] != "E-GENERAL-001", said.out
        assert {file.name for file in tmp_path.iterdir()} == {"privet.yaml", "stays.csv"}
        source.rmdir() if source.is_dir() and not source.is_symlink() else source.unlink()
    policy.unlink()
    policy.mkdir()
    assert say(capsys, "plan", "-p", str(policy), "--json").code == 2


def _spoiled() -> dict[str, tuple[str, Callable[[Path], None]]]:
    """Files whose names of columns are right, and whose rows are not: a plan, which reads none, cannot see it."""

    def text(change: Callable[[list[str]], list[str]]) -> Callable[[Path], None]:
        def write(file: Path) -> None:
            examples.write(file, patients())
            lines = file.read_text(encoding="utf-8").splitlines()
            file.write_bytes("\n".join(change(lines)).encode("utf-8", "surrogateescape"))

        return write

    def cut(share: float) -> Callable[[Path], None]:
        def write(file: Path) -> None:
            examples.write(file, patients())
            whole = file.read_bytes()
            file.write_bytes(whole[: int(len(whole) * share)] + whole[-300:])

        return write

    return {
        "too many fields": (".csv", text(lambda lines: [*lines[:80], lines[80] + ",1,2,3", *lines[81:]])),
        "too few fields": (".csv", text(lambda lines: [*lines[:80], "10001,x", *lines[81:]])),
        "a quote that stays open": (".csv", text(lambda lines: [*lines[:80], '10001,"x', *lines[81:]])),
        "bytes that are no text": (
            ".csv",
            text(lambda lines: [*lines[:80], lines[80].replace("a", "\udcff"), *lines[81:]]),
        ),
        "null bytes": (
            ".csv",
            text(lambda lines: [*lines[:80], lines[80].replace(",", ",\0", 3), *lines[81:]]),
        ),
        "a number that turns to text": (
            ".csv",
            text(lambda lines: [*lines, *(one.replace(",", ",x", 1) for one in lines[1:]), "x" + lines[1]]),
        ),
        "half a Parquet file": (".parquet", cut(0.4)),
        "most of a Parquet file": (".parquet", cut(0.8)),
    }


SPOILED = _spoiled()


@pytest.mark.parametrize("what", SPOILED)
def test_rows_that_cannot_be_read_cost_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    ending, write = SPOILED[what]
    write(tmp_path / f"stays{ending}")
    policy = tmp_path / "privet.yaml"
    policy.write_text(f"{HEAD}steps:\n{RELEASE}".replace("stays.csv", f"stays{ending}"), encoding="utf-8")
    said = say(capsys, "run", "-p", str(policy), "--json")
    assert said.json().get("error", {}).get("code") != "E-GENERAL-001", said.out
    assert said.code in (0, 1, 2), said.out[:500]
    if said.code:
        assert not (tmp_path / "out" / "public" / "beds.json").exists()
        if (tmp_path / "stays.ledger").exists():
            with Ledger(tmp_path / "stays.ledger") as ledger:
                assert [entry.kind for entry in ledger.history() if entry.kind == "spend"] == []

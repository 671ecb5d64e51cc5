"""`privet audit` from inside: outputs, refusals, and no value of the data in any of them."""

import base64
import hashlib
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from tests.app.doors import inside, listing, on_terminal

from privet import examples
from privet.engine._process_isolation import offered
from privet.errors import BadRoles
from privet.source import open_table

CANARIES = {
    "name": "Zebulon Quartzfinch",
    "email": "zq.canary.7731@example.org",
    "ssn": "900-77-3131",
    "phone": "555-0177",
    "born": "1931-12-07",
    "zip": "09977",
    "note": "told nurse Quillonby about the lighthouse",
    "diagnosis": "Q99.77 Canary fever",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A hospital in which one patient has values that occur nowhere else."""
    place = tmp_path_factory.mktemp("audit")
    stays = examples.hospital(150, 7)
    for name, canary in CANARIES.items():
        values = stays[name].cast(pa.string()).to_pylist()
        at = stays.schema.get_field_index(name)
        stays = stays.set_column(at, name, pa.array([canary, *values[1:]]))
    pyarrow.csv.write_csv(stays, place / "patients.csv")
    plain = examples.hospital(150, 7)
    roll = examples.voter_roll(plain)
    row = {"voter_id": "V9", "name": CANARIES["name"], "born": None, "zip": CANARIES["zip"], "sex": "F"}
    roll = pa.concat_tables([roll, pa.Table.from_pylist([row], schema=roll.schema)])
    pyarrow.csv.write_csv(roll, place / "voters.csv")
    pyarrow.csv.write_csv(examples.linkage_truth(plain), place / "truth.csv")
    return place


@pytest.fixture(scope="module")
def said(folder):
    return inside(
        "audit", "patients.csv", "--auxiliary", "voters.csv", "--truth", "truth.csv", "--html", "a.html", "--public",
        "p.html", "--write-roles", "roles.yaml", "--json", cwd=folder, env={"PRIVET_DEBUG": "1"},
    )  # fmt: skip


def disguises(canary: str) -> list[str]:
    """A value as it might leak: plainly, in parts, encoded or hashed."""
    raw = canary.encode()
    found = [canary, canary.lower(), canary.upper(), canary[::-1], raw.hex(), base64.b64encode(raw).decode()]
    found += [getattr(hashlib, kind)(raw).hexdigest() for kind in ("md5", "sha1", "sha256", "sha512")]
    found += [word for word in re.findall(r"[A-Za-z]{8,}", canary) if word not in ("lighthouse",)]
    return [
        *found,
        canary.replace(" ", "%20"),
        canary.replace("-", ""),
        "lighthouse" if "lighthouse" in canary else canary,
    ]


def test_no_canary_is_in_any_output(folder, said) -> None:
    assert said.code == 0, said.err
    after = set(listing(folder)) - {"patients.csv", "voters.csv", "truth.csv"}
    assert after == {"a.html", "p.html", "roles.yaml"}, "nothing else was left behind"
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in after}
    texts |= {"stdout": said.out, "stderr": said.err}
    for canary in CANARIES.values():
        for disguise in disguises(canary):
            assert [name for name, text in texts.items() if disguise in text] == []


def test_no_canary_is_in_the_summary_or_on_a_terminal(folder) -> None:
    piped, shown = (
        inside("audit", "patients.csv", cwd=folder),
        on_terminal("audit", str(folder / "patients.csv")),
    )
    for canary in CANARIES.values():
        for disguise in disguises(canary):
            assert disguise not in piped.out + piped.err + shown.out


def test_a_broken_file_shows_no_canary(folder) -> None:
    broken = folder / "broken.csv"
    lines = (folder / "patients.csv").read_text(encoding="utf-8").splitlines()
    broken.write_text(
        "\n".join([*lines[:30], f'{CANARIES["name"]},"unclosed,{CANARIES["email"]}']), encoding="utf-8"
    )
    told = inside("audit", str(broken))
    broken.unlink()
    assert told.code != 0
    assert "error E-" in told.err
    for canary in CANARIES.values():
        assert canary not in told.out + told.err


def test_json_says_what_was_found(said) -> None:
    data = said.json()
    assert data["columns"]["email"]["role"] == "direct"
    assert data["columns"]["note"]["role"] == "free text"
    assert data["unit"]["column"] == "patient_id"
    assert data["linkage"]["attempts"][0]["score"]["precision"] > 0.9
    assert data["people"] == 150
    assert data["reading"]["isolated"] == offered().complete
    assert data["reading"]["limits"]["columns"] > 0


def test_pages_stand_alone_and_have_a_table_beside_each_picture(folder, said) -> None:
    assert said.code == 0
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert not re.search(r"(?:src|href)\s*=|@import|url\(", page)
    assert "default-src 'none'" in page
    figures = re.findall(r"<figure>.*?</figure>", page, re.DOTALL)
    assert len(figures) == 5
    for figure in figures:
        assert "<title>" in figure
        assert "<desc>" in figure
        assert "<table>" in figure
    for title in (
        "People by size of class",
        "People singled out",
        "People alone by sets",
        "Separation by pairs",
    ):
        assert title in page
    public = (folder / "p.html").read_text(encoding="utf-8")
    assert "k = 1" not in public
    assert "<script" not in public


def test_written_roles_are_read_again(folder, said) -> None:
    assert said.code == 0
    roles = folder / "roles.yaml"
    with pytest.raises(BadRoles, match="nobody has confirmed"):
        open_table(folder / "patients.csv", roles=roles)
    roles.write_text(
        roles.read_text(encoding="utf-8").replace("confirmed: no", "confirmed: A. Keeper"), encoding="utf-8"
    )
    table = open_table(folder / "patients.csv", roles=roles)
    assert table.with_role("direct") == ["patient_id", "name", "ssn", "email", "phone"]
    assert table.with_role("free text") == ["note"]
    told = inside("audit", "patients.csv", "--roles", "roles.yaml", "--json", cwd=folder).json()
    unsaid = [name for name, column in told["columns"].items() if column["evidence"][0]["source"] != "stated"]
    assert unsaid == [name for name, column in told["columns"].items() if column["role"] == "unknown"]
    assert set(unsaid) == set(table.columns) - set(table.roles)


def test_words_for_people_and_lines_for_pipes(folder) -> None:
    told = inside("audit", "patients.csv", "--quasi", "zip,sex", "--sensitive", "diagnosis", cwd=folder)
    assert told.code == 0
    assert "What to do, in order" in told.err
    assert "patient_id\tdirect\t" in told.out


def test_another_delimiter(tmp_path) -> None:
    (tmp_path / "t.csv").write_text("age;zip\n40;12345\n41;12345\n", encoding="utf-8")
    told = inside("audit", "t.csv", "--delimiter", ";", "--json", cwd=tmp_path)
    assert set(told.json()["columns"]) == {"age", "zip"}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--quasi", "zap"], "E-AUDIT-001", "no column 'zap'"),
        (["--quasi", "zip,,sex"], "E-GENERAL-003", "--quasi could not be read"),
        (["--link", "born"], "E-GENERAL-003", "--link could not be read"),
        (["--html", "a.txt"], "E-GENERAL-003", "cannot write a.txt"),
        (["--html", "nowhere/a.html"], "E-GENERAL-003", "does not exist"),
        (["--roles", "none.yaml"], "E-AUDIT-003", "cannot be read"),
        (["--auxiliary", "none.csv"], "E-SOURCE-001", "no file"),
    ],
)
def test_refusals(folder, arguments, code, said) -> None:
    told = inside("audit", "patients.csv", *arguments, cwd=folder)
    assert told.code == 2
    assert code in told.err
    assert said in told.err.replace("\n", " ")


def test_an_empty_table_is_said(tmp_path) -> None:
    pyarrow.parquet.write_table(pa.table({"age": pa.array([], pa.int64())}), tmp_path / "t.parquet")
    told = inside("audit", "t.parquet", "--json", cwd=tmp_path)
    assert json.loads(told.out)["error"]["code"] == "E-AUDIT-002"


def test_a_password_in_an_address_is_not_repeated() -> None:
    from privet.verbs._audit_verb import shown_source

    address = "postgresql://ines:s3cret@db.example.org:5432/hospital?password=x#public.stays"
    assert shown_source(address) == "postgresql://ines@db.example.org:5432/hospital#public.stays"
    assert shown_source("patients.csv") == "patients.csv"

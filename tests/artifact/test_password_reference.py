"""Passwords of databases: by reference alone, and in nothing that leaves, against a server that asks for one."""

import base64
import os
import sys
import traceback
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.app.doors import inside
from tests.pipeline.hospital import patients
from tests.postgres_server import postgres_server

import privet as pv
from privet import errors
from privet.artifact import connectable

SECRET = "Kanari/enVogel+7 ß@x:y"
FORMS = [
    SECRET,
    quote(SECRET, safe=""),
    quote(SECRET),
    "KanarienVogel",
    "enVogel",
    *(base64.b64encode(b"." * pad + SECRET.encode()).decode()[3:-4] for pad in range(3)),
]


def leaks(text: str) -> list[str]:
    return [form for form in FORMS if form in text]


class Server:
    """A database that lets nobody in without the password."""

    def __init__(self, running: Any) -> None:
        import psycopg

        with psycopg.connect(running.get_uri()) as database:
            word = SECRET.replace("'", "''")
            database.execute(f"CREATE ROLE clinic LOGIN SUPERUSER PASSWORD '{word}'")
            rows = patients().to_pylist()
            database.execute(
                "CREATE TABLE stays (patient_id TEXT, sex TEXT, ward TEXT, days BIGINT, readmitted BOOLEAN)"
            )
            with database.cursor() as cursor:
                names = ("patient_id", "sex", "ward", "days", "readmitted")
                cursor.executemany(
                    "INSERT INTO stays VALUES (%s, %s, %s, %s, %s)",
                    [[row[name] for name in names] for row in rows],
                )
            rules = running.pgdata / "pg_hba.conf"
            rules.write_text("local all clinic scram-sha-256\n" + rules.read_text())
            database.execute("SELECT pg_reload_conf()")
        self.host = running.get_uri().split("host=")[1]

    def address(self, more: str = "", *, login: str = "clinic") -> str:
        return f"postgresql://{login}@/postgres?host={self.host}{more}"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with postgres_server() as running:
        yield Server(running)


def rows_of(address: str) -> int:
    return len(pv.open_table(address).columns)


def test_each_reference_opens_the_table(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    with pytest.raises(errors.SourceUnreachable):
        rows_of(server.address("#stays"))
    monkeypatch.setenv("CLINIC_WORD", SECRET)
    assert rows_of(server.address("&password_env=CLINIC_WORD#stays")) == 5
    (tmp_path / "word").write_text(f"{SECRET}\n", encoding="utf-8")
    assert rows_of(server.address(f"&password_file={tmp_path / 'word'}#stays")) == 5
    kept = types.SimpleNamespace(
        get_password=lambda service, name: SECRET if (service, name) == ("privet", "clinic") else None,
        errors=types.SimpleNamespace(KeyringError=RuntimeError),
    )
    monkeypatch.setitem(sys.modules, "keyring", kept)
    assert rows_of(server.address("&password_keyring=clinic#stays")) == 5
    with pytest.raises(errors.PasswordNotFound, match="no password of that name") as said:
        rows_of(server.address("&password_keyring=other#stays"))
    assert said.value.hint == "Put it there: keyring set privet other"
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(errors.MissingExtra) as said:
        rows_of(server.address("&password_keyring=clinic#stays"))
    assert said.value.hint == "pip install 'privet[keyring]'"
    # PostgreSQL's own way needs no reference.
    monkeypatch.setenv("PGPASSWORD", SECRET)
    assert rows_of(server.address("#stays")) == 5


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ("?password_env=NOBODY_SET_THIS", errors.PasswordNotFound),
        ("?password_file=relative", errors.PasswordNotFound),
        ("?password_file=/nowhere/at/all", errors.PasswordNotFound),
        ("?password_env=EMPTY_WORD", errors.PasswordNotFound),
        ("?password_env=A_WORD&password_file=/x", errors.PasswordWritten),
        ("?password_env=A_WORD&password=x", errors.PasswordWritten),
    ],
)
def test_what_leads_to_no_password_is_refused(
    more: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMPTY_WORD", "")
    monkeypatch.setenv("A_WORD", SECRET)
    with pytest.raises(error) as said:
        connectable(f"postgresql://ann@h/db{more}")
    assert leaks("".join(traceback.format_exception(said.value))) == []


WITH = [
    f"postgresql://clinic:{quote(SECRET, safe='')}@db.example/x#stays",
    f"postgresql://clinic@db.example/x?password={quote(SECRET, safe='')}#stays",
]


@pytest.mark.parametrize("address", WITH)
@pytest.mark.parametrize(
    "command",
    [
        ["init", "ADDRESS", "--yes", "--unit", "row"],
        ["audit", "ADDRESS", "--json"],
        ["query", "ADDRESS", "SELECT COUNT(*) FROM stays", "--epsilon", "1"],
        ["query", "t.csv", "SELECT COUNT(*) FROM t", "--ledger", "ADDRESS", "--epsilon", "1"],
        ["ledger", "open", "ADDRESS", "--epsilon", "1"],
        ["query", "t.csv", "SELECT 1", "--table", "s=ADDRESS"],
    ],
)
def test_a_password_on_a_command_line_is_refused_with_what_to_write(
    command: list[str], address: str, tmp_path: Path
) -> None:
    said = inside(*(word.replace("ADDRESS", address) for word in command), cwd=tmp_path)
    assert said.code == errors.PasswordWritten.exit_code
    assert "E-SECRET-001" in said.out + said.err
    assert "postgresql://clinic@db.example/x?password_env=PRIVET_DB_PASSWORD#stays" in said.out + said.err
    assert leaks(said.out + said.err) == []
    assert list(tmp_path.iterdir()) == []


def test_a_policy_with_a_password_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "privet.yaml").write_text(f"version: 1\ndataset:\n  source: {WITH[0]}\n", encoding="utf-8")
    said = inside("plan", cwd=tmp_path)
    assert "privet.yaml:3:11" in said.err
    assert "E-SECRET-001" in said.err
    assert leaks(said.out + said.err) == []


def test_no_artifact_holds_the_password(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    env = {"CLINIC_WORD": SECRET}
    data = server.address("&password_env=CLINIC_WORD#stays")
    book = server.address("&password_env=CLINIC_WORD#canary")
    said = []

    def run(*words: str, code: int = 0, env: dict[str, str] = env) -> None:
        done = inside(*words, env=env, cwd=tmp_path)
        assert done.code == code, done.out + done.err
        said.append(done.out + done.err)

    run("audit", data, "--unit", "patient_id", "--html", "audit.html", "--public", "public.html")
    run("audit", data, "--unit", "patient_id", "--write-roles", "roles.yaml", "--json")
    asked = "SELECT sex, COUNT(*) AS n FROM stays GROUP BY sex"
    booking = [
        "--unit",
        "patient_id",
        "--max-rows",
        "6",
        "--max-groups",
        "1",
        "--keys",
        "sex=F,M",
        "--epsilon",
        "0.5",
    ]
    run(
        "query",
        data,
        asked,
        *booking,
        "--ledger",
        book,
        "--budget",
        "9,1e-4",
        "-o",
        "a.json",
        "--card",
        "a.html",
    )
    run("ledger", "history", book, "--json")
    run("ledger", "verify", book)
    run("ledger", "export", book, "-o", "book.json")
    roles = tmp_path / "roles.yaml"
    roles.write_text(roles.read_text(encoding="utf-8").replace("confirmed: no", "confirmed: A. Keeper"))
    run("init", data, "--yes", "--unit", "patient_id", "--roles", "roles.yaml")
    assert "password_env=CLINIC_WORD" in (tmp_path / "privet.yaml").read_text(encoding="utf-8")
    run("plan", "--json")
    ran = inside("run", env=env, cwd=tmp_path)
    assert ran.code in (0, 6), ran.out + ran.err  # an attack may find something in so small a table
    said.append(ran.out + ran.err)
    # With another password, and with none.
    for wrong in ({"CLINIC_WORD": "no" + SECRET}, {}):
        failed = inside(
            "audit", data, "--unit", "patient_id", "--purpose", "first-use", env=wrong, cwd=tmp_path
        )
        assert failed.code != 0
        said.append(failed.out + failed.err)
        failed = inside("ledger", "show", book, env=wrong, cwd=tmp_path)
        assert failed.code != 0
        said.append(failed.out + failed.err)
    monkeypatch.setenv("CLINIC_WORD", SECRET)
    monkeypatch.chdir(tmp_path.parent)
    table, ledger = pv.open_table(data), pv.Ledger(book)
    said += [
        repr(table),
        str(table),
        table._repr_html_(),
        repr(ledger),
        str(ledger),
        repr(vars(ledger)),
        repr(vars(table)),
    ]
    literal = data.replace("clinic@", f"clinic:{quote(SECRET, safe='')}@").replace(
        "&password_env=CLINIC_WORD", ""
    )
    said += [repr(pv.open_table(literal)), repr(pv.DataSet.of(literal))]
    with pytest.raises(errors.PrivetError) as failure:
        pv.open_table(literal.replace("#stays", "#nothing"))
    said.append("".join(traceback.format_exception(failure.value)) + repr(failure.value))
    assert leaks("\n".join(said)) == []
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 10
    for path in files:
        assert leaks(path.read_bytes().decode("utf-8", "replace")) == [], path.name
    assert leaks(Path(f"/proc/{os.getpid()}/cmdline").read_text() if Path("/proc").is_dir() else "") == []


def test_a_ledger_s_address_is_remembered_without_its_password(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("who,sex\n" + "".join(f"p{at},f\n" for at in range(40)))
    place = server.address("#linked", login=f"clinic:{quote(SECRET, safe='')}")
    found = pv.DataSet.of("t.csv")
    with found.ledger(place, limit=pv.PureDP(3)) as book:
        asked = pv.open_table("t.csv", unit=pv.Row()).agg(n=pv.count())
        pv.release(asked, pv.PureDP(1), ledger=book, why="a count")
    link = (tmp_path / "t.csv.ledger.link").read_text()
    assert "#linked" in link
    assert leaks(link) == []

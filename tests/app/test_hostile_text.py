"""A hostile table through every command: what its names, values and files say is shown, and never acts."""

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pyarrow as pa
import pyarrow.csv as text
import pytest
from tests.app.doors import Said, inside, on_terminal

import privet as pv
from privet._outgoing_text import CONTENT_POLICY

TITLE = "\x1b]0;pwned\x07"
TURN = "\u202e"
TAG = "<script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>"
LINK = "[link=http://evil.example]x[/link][/bold]"
FORMULA = "=cmd|' /C calc'!A0"
SMUGGLED = "\u200b\U000e0041"
COLUMN = f"ward{TITLE}{TURN}{TAG}{LINK}"
AGE = f"{FORMULA}{SMUGGLED}"
FILE = f"rows{TURN}\x1b[2J<b>[red].csv"
VALUES = [f"{FORMULA}{TURN}", f"@{TITLE}{TAG}", f"+{LINK}", "plain"]
ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\U000e0000-\U000e0fff]"
)
# What rich itself writes to colour and to draw: no text of a table can look like it.
COLOURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[\d*[KAG]|\r")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("hostile")
    many = 240
    table = pa.table(
        {
            "patient": [f"p{at}" for at in range(many)],
            COLUMN: [VALUES[at % 4] for at in range(many)],
            AGE: [20 + at % 50 for at in range(many)],
            "sex": ["fm"[at % 2] for at in range(many)],
            "back": [("yes", "no")[at % 3 == 0] for at in range(many)],
        }
    )
    for name in (FILE, "t.csv"):
        text.write_csv(table, place / name)
    text.write_csv(table.slice(0, 200), place / "q.csv")
    return place


def acting(said: Said) -> list[str]:
    return [repr(found) for found in ACTS.findall(said.out + said.err)]


QUOTED = '"' + COLUMN.replace('"', '""') + '"'
SQL = f"SELECT {QUOTED}, COUNT(*) AS n FROM q GROUP BY {QUOTED}"
KEYS = ["--why", f"=1+1{TAG}{LINK}", "--budget", "9,1e-4", "-o", "answer.json", "--card", "card.html"]
COMMANDS = {
    "audit": ["audit", FILE, "--unit", "patient", "--html", "audit.html"],
    "audit for all": ["audit", FILE, "--unit", "patient", "--public", "public.html"],
    "init refuses": ["init", FILE, "--yes"],
    "init": ["init", "t.csv", "--yes", "--unit", "patient", "-o", "made/privet.yaml"],
    "plan": ["plan", "--policy", "made/privet.yaml"],
    "hierarchy": ["hierarchy", "suggest", FILE, "--column", COLUMN, "-o", "x_hierarchy_w.csv"],
    "schema": ["schema", FILE, "-o", "schema.yaml"],
    "mask": ["mask", FILE, "--column", "sex", "--placeholder", FORMULA, "-o", "masked.csv"],
    "suppress": ["suppress", FILE, "--columns", AGE, "-o", "suppressed.csv"],
    "wrong column": ["suppress", FILE, "--columns", f"no{COLUMN}", "-o", "suppressed.csv"],
    "query": ["query", "q.csv", SQL, "--max-rows", "3", "--max-groups", "1", "--unit", "patient", "--epsilon", "1", "--delta", "1e-6", *KEYS],
    "history": ["ledger", "history", "q.csv.ledger"],
    "export": ["ledger", "export", "q.csv.ledger", "--format", "csv", "-o", "book.csv"],
    "show": ["ledger", "show", "q.csv.ledger"],
    "explain": ["query", "q.csv", SQL, "--max-rows", "3", "--max-groups", "1", "--unit", "patient", "--epsilon", "1", "--delta", "1e-6", "--explain"],
    "bad sql": ["query", FILE, f"SELECT {TURN}{TITLE} FROM t WHERE '{TAG}", "--unit", "patient", "--epsilon", "1"],
    "no such table": ["audit", f"absent{TITLE}{TURN}.csv"],
    "no such command": [f"nothing{TITLE}{TURN}"],
    "no such option": ["audit", f"--{TITLE}{TURN}"],
    "bad number": ["query", "q.csv", SQL, "--max-rows", "3", "--max-groups", "1", "--epsilon", f"{TITLE}{TURN}"],
    "account": ["account", f"laplace({TITLE}{TURN})"],
    "explain-error": ["explain-error", f"E-{TITLE}{TURN}"],
    "report": ["report", f"absent{TITLE}{TURN}"],
    "ledger": ["ledger", "show", f"absent{TITLE}{TURN}.ledger"],
    "attack": ["attack", f"absent{TITLE}{TURN}", "--members", FILE],
    "predict": ["predict", f"absent{TITLE}{TURN}", FILE, "-o", "x.csv"],
    "run": ["run", f"absent{TITLE}{TURN}.json"],
    "gc": ["gc", "--policy", f"absent{TITLE}{TURN}.yaml"],
    "bad policy": ["plan", "--policy", "bad.yaml"],
}  # fmt: skip
SUCCEED = {
    "audit",
    "audit for all",
    "init",
    "plan",
    "hierarchy",
    "schema",
    "mask",
    "suppress",
    "query",
    "explain",
    "history",
    "export",
    "show",
}


@pytest.mark.parametrize("as_json", [False, True], ids=["words", "json"])
def test_no_command_repeats_what_acts(folder: Path, as_json: bool) -> None:
    (folder / "made").mkdir(exist_ok=True)
    (folder / "bad.yaml").write_text(json.dumps({"version": 1, f"{TITLE}{TURN}": {"x": TURN}}))
    faults = []
    for name, words in COMMANDS.items():
        for made in ("made/privet.yaml", "x_hierarchy_w.csv", "schema.yaml"):
            if made in words and "-o" in words:
                (folder / made).unlink(missing_ok=True)
        said = inside(*words, *(["--json"] if as_json else []), cwd=folder)
        if (said.code == 0) != (name in SUCCEED):
            faults.append(f"{name} ended with {said.code}: {said.out[-300:]}{said.err[-300:]}")
        faults += [f"{name} wrote {found}" for found in acting(said)[:3]]
        if "E-GENERAL-001" in said.out + said.err:
            faults.append(f"{name}: {said.out}{said.err}")
        if as_json:
            json.loads(said.out)
    assert not faults, "\n".join(faults)


class Page(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()
        self.policy = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value or "" for name, value in attrs if name in ("href", "src")}
        if dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attrs).get("content") or ""


def faults_of_page(page: str, *, whole: bool = True) -> list[str]:
    found = Page(page)
    faults = [f"holds {one!r}" for one in ACTS.findall(page)[:3]]
    faults += [f"has a {tag}" for tag in found.tags & {"script", "img", "iframe", "object", "base", "form"}]
    faults += [f"has {name}" for name in found.attributes if name.startswith("on")]
    faults += [f"leads to {link!r}" for link in found.links if not link.startswith("#")]
    if whole and found.policy != CONTENT_POLICY:
        faults.append(f"has the policy {found.policy!r}")
    return faults


def test_pages_and_pictures_show_what_would_act(folder: Path) -> None:
    table = pv.open_table(str(folder / FILE), unit=pv.Person("patient", max_rows=1))
    audit = pv.audit(table)
    book = pv.Ledger.in_memory(limit=pv.ApproxDP(9, 1e-4))
    asked = table.group_by(COLUMN).agg(n=pv.count())
    answer = pv.release(asked, pv.ApproxDP(4, 1e-5), ledger=book, why="counts of wards")
    safe = pv.anonymize(
        pv.open_table(str(folder / FILE), unit=pv.Row(), roles={"patient": "direct", COLUMN: "quasi", AGE: "insensitive", "sex": "quasi", "back": "insensitive"}),
        pv.KAnonymity(3), max_suppressed=0.5,
    )  # fmt: skip
    things = [table, audit, audit.publishable(), answer, pv.explain(asked, pv.ApproxDP(4, 1e-5)), safe, book]
    faults = []
    for thing in things:
        name = type(thing).__name__
        faults += [f"{name} prints {one!r}" for one in ACTS.findall(str(thing) + repr(thing))[:3]]
        faults += [
            f"{name} in a notebook {fault}" for fault in faults_of_page(thing._repr_html_(), whole=False)
        ]
    for number, pictured in enumerate([audit, answer]):
        picture = pictured.plot()
        svg = picture.save(folder / f"{number}.svg").read_text(encoding="utf-8")
        tags = {one.tag.rpartition("}")[2] for one in ET.fromstring(svg).iter()}
        assert tags <= {
            "svg",
            "style",
            "metadata",
            "title",
            "desc",
            "g",
            "path",
            "text",
            "rect",
            "circle",
            "tspan",
            "line",
        }
        faults += [f"{number}.svg {fault}" for fault in faults_of_page(svg, whole=False)]
        page = picture.save(folder / f"{number}.html").read_text(encoding="utf-8")
        faults += [f"{number}.html {fault}" for fault in faults_of_page(page)]
    assert not faults, "\n".join(faults)
    assert "alert(1)" in str(audit) + audit._repr_html_()  # the name is shown, not dropped
    assert any("alert(1)" in str(key) for key in answer.to_arrow().column(0).to_pylist())


def test_files_that_commands_wrote_do_not_act(folder: Path) -> None:
    for name in ("query", "export"):
        assert inside(*COMMANDS[name], "--json", cwd=folder).code == 0
    assert faults_of_page((folder / "card.html").read_text(encoding="utf-8")) == []
    made = folder / "safe.csv"
    roles = {"patient": "direct", COLUMN: "quasi", AGE: "insensitive", "sex": "quasi", "back": "insensitive"}
    table = pv.open_table(str(folder / FILE), unit=pv.Row(), roles=roles)
    pv.anonymize(table, pv.KAnonymity(3), max_suppressed=0.5).save(made)
    mask = ["mask", FILE, "--column", "sex", "--placeholder", "=1+1", "-o", "masked.csv", "--json"]
    assert inside(*mask, cwd=folder).code == 0
    faults = []
    for file in (made, folder / "masked.csv", folder / "book.csv"):
        with file.open(encoding="utf-8", newline="") as opened:
            rows = list(csv.reader(opened))
        assert len(rows) > 1
        faults += [
            f"{file.name}: {cell!r}"
            for row in rows
            for cell in row
            if cell[:1] in ("=", "+", "-", "@", "\t", "\r")
        ]
    assert not faults, "\n".join(faults[:5])
    page = inside(
        "audit", FILE, "--unit", "patient", "--html", "owner.html", "--public", "shown.html", cwd=folder
    )
    assert page.code == 0, page.err
    for name in ("owner.html", "shown.html"):
        assert faults_of_page((folder / name).read_text(encoding="utf-8")) == []


def test_on_a_terminal_only_our_own_colours_arrive(folder: Path) -> None:
    said = on_terminal("audit", str(folder / FILE), "--unit", "patient")
    assert said.code == 0, said.out
    assert "\x1b[" in said.out  # it is coloured
    left = COLOURS.sub("", said.out)
    assert ACTS.findall(left) == []
    assert "pwned" in left

"""One escaping for each medium, and every door behind it."""

import ast
import csv
import io
import string
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.source_tree import SOURCE, listed, modules, nodes

from privet._outgoing_text import (
    csv_rows,
    csv_schema,
    for_csv,
    for_html,
    for_svg,
    for_terminal,
    for_yaml,
    from_csv,
    tab_line,
)
from privet.errors import BadUsage

ANY = st.text(st.characters(exclude_categories=[]), max_size=20)
CELLS = st.one_of(ANY, st.text("'=+-@\t\r\n0123456789.,e%\uff1dx", max_size=6))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;pwned\x07", "\\x1b]0;pwned\\x07"),  # sets a window's title
        ("\x9b31m", "\\x9b31m"),  # the one-byte form of ESC [
        ("a\rb\x08\x7f", "a\\rb\\x08\\x7f".replace("\\r", "\\x0d")),
        ("\u202egnp.exe", "\\u202egnp.exe"),  # turns round what follows
        ("\u2066x\u2069\u200f\u061c", "\\u2066x\\u2069\\u200f\\u061c"),
        ("ad\u200bmin\u2060\ufeff\u00ad", "ad\\u200bmin\\u2060\\ufeff\\xad"),
        ("\U000e0041\U000e0100\ufe0f", "\\U000e0041\\U000e0100\\ufe0f"),  # tags and variation selectors
        ("\u3164\u2800\u2028", "\\u3164\\u2800\\u2028"),
        ("\ud800", "\\ud800"),
        ("Ärzte, 日本, عربي, 😀, n\u0303, tab\tline\n", "Ärzte, 日本, عربي, 😀, n\u0303, tab\tline\n"),
    ],
)
def test_what_a_terminal_would_act_on_is_shown(text: str, shown: str) -> None:
    assert for_terminal(text) == shown


@given(ANY)
def test_no_control_is_left_and_what_is_harmless_stays(text: str) -> None:
    shown = for_terminal(text)
    assert for_terminal(shown) == shown
    assert not any((ord(one) < 32 and one not in "\n\t") or 127 <= ord(one) < 160 for one in shown)
    shown.encode("utf-8")


@pytest.mark.parametrize(
    "start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"]
)
def test_a_cell_is_no_formula(start: str) -> None:
    assert for_csv(f"{start}cmd|' /C calc'!A0") == f"'{start}cmd|' /C calc'!A0"


@pytest.mark.parametrize(
    "number", ["-5", "+3.25", "-1e-7", "-.5", "+1,5", "-3%", "0", "17", "", "a=b", "x-y", "'quoted'"]
)
def test_numbers_and_words_stay(number: str) -> None:
    assert for_csv(number) == number


@given(CELLS, CELLS)
def test_different_cells_stay_different_and_come_back(one: str, other: str) -> None:
    assert from_csv(for_csv(one)) == one
    assert (for_csv(one) == for_csv(other)) == (one == other)


@given(
    st.lists(
        st.one_of(st.none(), CELLS.filter(lambda text: text.isprintable() or text.isascii())), max_size=8
    )
)
def test_columns_of_rows_are_treated_as_single_cells(cells: list[str | None]) -> None:
    plain = pa.array(cells, pa.string())
    made = {"=a": plain, "coded": plain.dictionary_encode(), "number": pa.array([-1] * len(cells))}
    rows = csv_rows(pa.table(made))
    wanted = [None if cell is None else for_csv(cell) for cell in cells]
    assert rows.column("'=a").to_pylist() == wanted
    assert rows.column("coded").to_pylist() == wanted
    assert rows.column("number").to_pylist() == [-1] * len(cells)
    assert rows.schema == csv_schema(pa.table(made).schema)


def test_a_line_of_cells_stays_one_line() -> None:
    line = tab_line(["=1+1", "a\tb", "c\nd", None, -5, 0.5, "\x1b"])
    assert line.split("\t") == ["'=1+1", "a\\tb", "c\\nd", "", "-5", "0.5", "\\x1b"]


@given(st.text(max_size=20))
def test_yaml_reads_a_text_as_that_text(text: str) -> None:
    import yaml

    assert yaml.safe_load(f"{for_yaml(text)}: {for_yaml(text)}") == {text: text}


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.names: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names += [name for name, _ in attrs]


@given(st.one_of(ANY, st.text(string.punctuation + "script onload", max_size=30)))
def test_markup_is_text(text: str) -> None:
    for made in (for_html(text), for_svg(text)):
        assert Tags(f"<p>{made}</p>").tags == ["p"]
        assert Tags(f'<p title="{made}">').names == ["title"]
    assert "\n" not in for_svg(text)


def test_an_error_s_words_are_harmless_wherever_it_ends() -> None:
    error = BadUsage("no column \x1b[2J\u202e.", "Try \x07.")
    assert str(error) == f"{error.code}: no column \\x1b[2J\\u202e.\nhint: Try \\x07."
    assert "\x1b" not in str(error.args) + str(error.to_json())


# --- nobody goes past it -------------------------------------------------------------------------

DOORS = {
    # What is called, and the only modules that may call it.
    "sys.stdout.write": {"app/_terminal.py"},
    "sys.stderr.write": {"app/_terminal.py"},
    "typer.echo": set(),
    "typer.secho": set(),
    "click.echo": set(),
    "typer.confirm": {"app/_terminal.py"},
    "Console": {"app/_terminal.py"},
    "csv.writer": {"protect/anonymize/hierarchies/_hierarchy_files.py"},
    "csv.DictWriter": {"app/_ledger_files.py"},
    "text.write_csv": set(),
    "text.CSVWriter": {"artifact/_csv_files.py"},
    "Environment": {"report/_page.py"},
}
IMPORTS = {"html": {"_outgoing_text.py"}, "rich.markup": set()}


def past_the_doors(path: Path, name: str) -> list[str]:
    """What in a module writes text out by itself."""
    found = []
    for node in nodes(path):
        if isinstance(node, ast.Call) and name not in DOORS.get(ast.unparse(node.func), {name}):
            found.append(f"{name}:{node.lineno} calls {ast.unparse(node.func)}")
        if isinstance(node, ast.ImportFrom) and name not in IMPORTS.get(node.module or "", {name}):
            found.append(f"{name}:{node.lineno} imports from {node.module}")
    return found


def test_text_leaves_by_its_doors_alone() -> None:
    # Example tables are our own, and written by the lowest room.
    inside = [(path, path.relative_to(SOURCE).as_posix()) for path in modules()]
    faults = [
        fault
        for path, name in inside
        if not name.startswith("examples/")
        for fault in past_the_doors(path, name)
    ]
    assert not faults, listed(faults)


def test_who_goes_past_the_doors_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "made_up.py"
    path.write_text(
        "from html import escape\nimport sys\nsys.stdout.write('x')\ntyper.echo('x')\nConsole()\n"
    )
    assert len(past_the_doors(path, "app/_made_up.py")) == 4


def test_a_hierarchy_s_formulas_come_back_as_they_were(tmp_path: Path) -> None:
    from privet.protect.anonymize.hierarchies import Hierarchy, csv_text, read_hierarchy

    made = Hierarchy.from_paths("code", [["=a", "*"], ["'=a", "*"], ["-5", "*"]])
    file = tmp_path / "x_hierarchy_code.csv"
    file.write_text(csv_text(made), encoding="utf-8")
    cells = [row[0] for row in csv.reader(io.StringIO(file.read_text(encoding="utf-8")), delimiter=";")]
    assert cells == ["'=a", "''=a", "-5"]
    assert list(read_hierarchy(file).paths()) == list(made.paths())

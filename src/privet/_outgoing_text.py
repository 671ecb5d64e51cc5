"""Text that leaves the house, made harmless for where it goes: terminals, spreadsheets, HTML, SVG.

Names of columns and files, values in answers, texts that callers wrote and messages of libraries may hold anything. What is
written in them is *shown*, and never acts: no control sequence moves a cursor or sets a title, no character hides or turns
round its neighbours (Boucher and Anderson, Trojan Source, 2021), no cell is a formula, no name is a tag. Every door writes
through one of these functions; a test walks them all with a hostile table.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

# Controls, formats (which hold the bidirectional, zero-width and tag characters), halves of characters, and places nobody
# has assigned or everybody may assign: what a terminal does with them is not known here.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# Letters and marks that nothing is drawn for (Default_Ignorable_Code_Point of Unicode), by which text can be smuggled.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_KEPT = "\n\t"
_PLAIN = re.compile(r"[\n\t -~]*")
# What spreadsheets take for the beginning of a formula, a command or another cell, also in full width.
_ACTS = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
GUARD = "'"
# What a page of ours may do: look as its own style says. No script, no picture or font from elsewhere, no form, no base.
CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_FORMULA = f"{GUARD}*[{_ACTS}]"
# What a spreadsheet and a program both read as a number: as such it is left alone.
_NUMBER = r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?%?"
_STARTS_FORMULA = re.compile(_FORMULA)
_IS_NUMBER = re.compile(_NUMBER)


def for_terminal(text: str) -> str:
    r"""Text in which every character shows: others stand as `\x1b` or `\u202e`. Lines and tabs stay."""
    if _PLAIN.fullmatch(text):
        return text
    return "".join(one if one in _KEPT or _is_seen(one) else _named(one) for one in text)


def for_html(text: object) -> str:
    """Text between tags or inside a quoted attribute of a page."""
    return escape(for_terminal(str(text)))


def for_svg(text: object) -> str:
    """Text or a quoted attribute of a picture, in one line."""
    return escape(for_terminal(str(text)).replace("\n", " ").replace("\t", " "))


def for_yaml(text: str) -> str:
    """A text in quotation marks that YAML reads as that text, and an editor shows as it is."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{for_terminal(quoted).replace(chr(10), chr(92) + "n").replace(chr(9), chr(92) + "t")}"'


def for_csv(text: str) -> str:
    """A cell that no spreadsheet runs. Numbers stay numbers, and different texts stay different."""
    return f"{GUARD}{text}" if _STARTS_FORMULA.match(text) and not _IS_NUMBER.fullmatch(text) else text


def from_csv(cell: str) -> str:
    """The text of a cell that `for_csv` wrote."""
    return cell[1:] if cell.startswith(GUARD) and _STARTS_FORMULA.match(cell[1:]) else cell


def tab_line(cells: Iterable[object]) -> str:
    """One line of cells with tabs between them, for pipes and spreadsheets; a cell stays in its line."""
    return "\t".join(
        "" if cell is None else for_terminal(for_csv(str(cell))).replace("\t", "\\t").replace("\n", "\\n")
        for cell in cells
    )


def csv_schema(schema: pa.Schema) -> pa.Schema:
    """The schema of rows on their way into a CSV file: names that no spreadsheet runs, and cells as `csv_rows` leaves them."""
    import pyarrow as pa

    return pa.schema(
        [
            pa.field(for_csv(field.name), pa.large_string() if _is_text(field.type) else field.type)
            for field in schema
        ]
    )


def csv_rows(rows: pa.RecordBatch | pa.Table) -> Any:
    """Rows on their way into a CSV file: texts that no spreadsheet runs, all else as it is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def cells(column: Any) -> Any:
        texts = pc.cast(column, pa.large_string())
        acts = pc.and_not(
            pc.match_substring_regex(texts, f"^(?:{_FORMULA})"),
            pc.match_substring_regex(texts, f"^(?:{_NUMBER})$"),
        )
        guarded = pc.binary_join_element_wise(
            pa.scalar(GUARD, pa.large_string()), texts, pa.scalar("", pa.large_string())
        )
        return pc.if_else(acts, guarded, texts)

    kept = [cells(column) if _is_text(column.type) else column for column in rows.columns]
    return type(rows).from_arrays(kept, schema=csv_schema(rows.schema))


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(
        pa.types.is_string(inner) or pa.types.is_large_string(inner) or pa.types.is_string_view(inner)
    )


def _is_seen(one: str) -> bool:
    return unicodedata.category(one) not in _UNSEEN and not _BLANK.match(one)


def _named(one: str) -> str:
    code = ord(one)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

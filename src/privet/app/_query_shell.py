"""The shell of `privet query --repl`: questions in SQL, dot commands, and the budget that is left in the prompt.

A statement ends with a semicolon, and may run over several lines. On a terminal there is history and completion;
from a pipe, statements are read until the end and the exit code is that of the last one that failed. The history
holds what was typed and never an answer; its file is for the owner's eyes alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.app._output_files import check_outputs
from privet.app._query_output import answered, save, say_answer, say_explanation
from privet.app._terminal import emit, fail, write
from privet.artifact import own_folder, private_file
from privet.errors import BadUsage, FileProblem, PrivetError, UnsafePath
from privet.guarantee import ApproxDP, PureDP, readable

if TYPE_CHECKING:
    from prompt_toolkit.completion import Completer

    from privet.artifact import ReleasedAnswer
    from privet.dataset import Tables
    from privet.ledger import Ledger

KEYWORDS = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "JOIN", "LEFT JOIN", "USING", "ON",
    "WITH", "AS", "AND", "OR", "NOT", "IN", "BETWEEN", "IS NULL", "CASE", "WHEN", "THEN", "ELSE", "END", "FILTER",
    "ROLLUP", "GROUPING SETS", "DESC", "DISTINCT",
)  # fmt: skip
FUNCTIONS = (
    "CLAMP", "DATE_TRUNC", "EXTRACT", "ROUND", "COALESCE", "NULLIF", "LOWER", "UPPER", "TRIM", "SUBSTRING", "CAST",
    "FLOOR", "ABS",
)  # fmt: skip
COMMANDS = {
    ".help": "this list",
    ".tables": "the tables that can be asked about",
    ".columns [TABLE]": "columns, kinds, and what is publicly known about them",
    ".budget": "what is left, and of how much",
    ".explain SQL;": "what a question would do and cost; spends nothing",
    ".epsilon E [DELTA]": "what each answer from here on may cost",
    ".save FILE": "save the last answer: .json, .parquet, or its card as .html",
    ".quit": "leave",
}


class Shell:
    """One session: the tables, the ledger, the promise of the next answer and the last answer."""

    def __init__(
        self, tables: Tables, book: Ledger, promise: Any, booking: dict[str, Any], *, as_json: bool
    ) -> None:
        self.tables, self.book, self.promise = tables, book, promise
        self.booking, self.as_json = booking, as_json
        self.last: ReleasedAnswer | None = None
        self.status = 0
        self.commands: dict[str, Callable[[str], None]] = {
            ".help": lambda _: self._help(),
            ".tables": lambda _: self._tables(),
            ".columns": self._columns,
            ".budget": lambda _: self._budget(),
            ".explain": self._explain,
            ".epsilon": self._epsilon,
            ".save": self._save,
        }

    def run(self, history: Path | None) -> int:
        """Read until .quit or the end; the exit code of the last failure, or 0."""
        lines = _typed(self, history) if sys.stdin.isatty() else _piped()
        for statement in _statements(lines):
            if statement in (".quit", ".exit"):
                break
            try:
                self.take(statement)
            except PrivetError as error:
                self.status = error.exit_code
                fail(error, as_json=self.as_json)
        return 0 if sys.stdin.isatty() else self.status

    def take(self, statement: str) -> None:
        """One statement: a dot command or a question."""
        if statement.startswith("."):
            word, _, rest = statement.partition(" ")
            if word not in self.commands:
                raise BadUsage(f"there is no command {word}.", "Type .help for the list.")
            self.commands[word](rest.strip())
            return
        if self.promise is None:
            raise BadUsage("an answer needs a promise.", "Type .epsilon 0.5 first, or .epsilon 0.5 1e-7.")
        self.last = answered(statement, self.promise, self.tables, self.book, self.booking)
        say_answer(self.last, as_json=self.as_json)

    def prompt(self) -> str:
        """The budget that is left, scarcest first."""
        left = self.book.balance().remaining
        coins = ", ".join(
            f"{name} {readable(left[name])}" for name in sorted(left, reverse=True) if left[name]
        )
        return f"privet ({coins or 'nothing'} left)> "

    def words(self) -> Iterator[str]:
        """Everything that completion offers."""
        from privet.protect.query.sql import AGGREGATE_NAMES

        yield from (command.split()[0] for command in COMMANDS)
        yield from (*KEYWORDS, *(f"{name}(" for name in (*AGGREGATE_NAMES, *FUNCTIONS)))
        yield from self.tables
        # A database's other tables are not opened for a key press.
        for table in self.tables.opened():
            yield from table.columns

    def _say(self, data: dict[str, Any], lines: list[str]) -> None:
        text = "\n".join(lines)
        if self.as_json or sys.stdout.isatty():
            emit(data, text, plain=text, as_json=self.as_json)
        else:
            write(text + "\n")

    def _help(self) -> None:
        width = max(map(len, COMMANDS))
        lines = [f"{command.ljust(width)}  {meaning}" for command, meaning in COMMANDS.items()]
        self._say({"commands": COMMANDS}, ["A question in SQL ends with a semicolon.", *lines])

    def _tables(self) -> None:
        self._say({"tables": list(self.tables)}, list(self.tables))

    def _columns(self, name: str) -> None:
        names = [name] if name else list(self.tables)
        shown = []
        for one in names:
            if one not in set(self.tables):
                raise BadUsage(f"there is no table {one!r}.", f"There are {', '.join(self.tables)}.")
            shown.append(self.tables[one])
        data = {one.name: {column: kind.value for column, kind in one.columns.items()} for one in shown}
        self._say({"columns": data}, [repr(one) for one in shown])

    def _budget(self) -> None:
        balance = self.book.balance()
        lines = [
            f"{coin}: {readable(balance.remaining[coin])} left of {readable(cap)}"
            for coin, cap in sorted(balance.caps.items(), reverse=True)
        ]
        self._say({"budget": balance.to_json()}, lines)

    def _explain(self, sql: str) -> None:
        if not sql:
            raise BadUsage("there is no question to explain.", "Write .explain SELECT COUNT(*) FROM t;")
        if self.promise is None:
            raise BadUsage("an answer needs a promise.", "Type .epsilon 0.5 first, or .epsilon 0.5 1e-7.")
        say_explanation(
            sql, self.promise, self.tables, self.book, self.booking["confidence"], as_json=self.as_json
        )

    def _epsilon(self, said: str) -> None:
        parts = said.split()
        if len(parts) not in (1, 2):
            raise BadUsage("an epsilon, and a delta if need be.", "Write .epsilon 0.5, or .epsilon 0.5 1e-7.")
        self.promise = ApproxDP(*parts) if len(parts) == 2 else PureDP(parts[0])
        self._say({"promise": self.promise.to_json()}, [f"each answer from here on: {said}"])

    def _save(self, where: str) -> None:
        if self.last is None:
            raise BadUsage("there is no answer yet.", "Ask a question first.")
        if not where:
            raise BadUsage("name a file.", "Write .save answer.json, .parquet or .html.")
        path = Path(where).expanduser()
        card = path if path.suffix in (".html", ".htm") else None
        check_outputs("://", None if card else path, card)
        save(self.last, None if card else path, card, self.tables.data.signing())
        self._say({"saved": str(path)}, [f"saved {path}"])


def _statements(lines: Iterator[str | None]) -> Iterator[str]:
    """Whole statements: dot commands end with their line, unless they hold SQL; SQL ends with a semicolon.

    None drops what was typed so far.
    """
    begun: list[str] = []
    for line in lines:
        if line is None:
            begun = []
            continue
        if not begun and not line.strip():
            continue
        begun.append(line)
        text = "\n".join(begun)
        if text.lstrip().startswith(".") and not text.lstrip().startswith(".explain"):
            yield text.strip()
            begun = []
        elif _ended(text):
            yield from (part for part in [text.strip().rstrip(";").strip()] if part)
            begun = []
    if "\n".join(begun).strip():
        yield "\n".join(begun).strip()


def _ended(text: str) -> bool:
    """Whether a statement is whole: it ends with a semicolon that is not inside quotes or a comment."""
    stripped = text.rstrip()
    if not stripped.endswith(";"):
        return False
    quote = ""
    for line in stripped.splitlines():
        at = 0
        while at < len(line):
            if quote:
                quote = "" if line[at] == quote else quote
            elif line.startswith("--", at):
                break
            elif line[at] in "'\"":
                quote = line[at]
            at += 1
        commented = at < len(line)
    return not quote and not commented


def _piped() -> Iterator[str | None]:
    for line in sys.stdin:
        yield line.rstrip("\n")


def _typed(shell: Shell, history: Path | None) -> Iterator[str | None]:
    """Lines from a terminal, with history and completion; Ctrl-C drops the statement, Ctrl-D leaves."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory, History, InMemoryHistory

    kept: History = InMemoryHistory() if history is None else FileHistory(str(history))
    session: PromptSession[str] = PromptSession(
        history=kept, completer=_completer(shell), complete_while_typing=False
    )
    begun = ""
    while True:
        prompt = "   ...> " if begun else shell.prompt()
        try:
            line = session.prompt(prompt)
        except KeyboardInterrupt:
            begun = ""
            yield None
            continue
        except EOFError:
            return
        begun = f"{begun}\n{line}" if begun else line
        opened_only = begun.lstrip().startswith(".") and not begun.lstrip().startswith(".explain")
        if opened_only or _ended(begun) or not begun.strip():
            begun = ""
        yield line


def _completer(shell: Shell) -> Completer:
    from prompt_toolkit.completion import Completer, Completion

    class Words(Completer):
        """Dot commands, keywords, functions, tables and columns that begin like the word at the cursor."""

        def get_completions(self, document: Any, complete_event: Any) -> Iterator[Completion]:  # noqa: ARG002
            begun = document.get_word_before_cursor(WORD=True).split("(")[-1].split(",")[-1].split(".")[-1]
            if document.text.startswith(".") and " " not in document.text:
                begun = document.text
            if not begun:
                return
            for word in dict.fromkeys(shell.words()):
                if word.lower().startswith(begun.lower()):
                    yield Completion(word, start_position=-len(begun))

    return Words()


def history_of(ledger: str) -> Path | None:
    """The file of the history, beside the ledger and for the owner's eyes alone; in memory if it cannot be made."""
    if "://" in ledger:
        state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
        path = Path(state) / "privet" / "query.history"
    else:
        path = Path(f"{ledger}.history")
    try:
        own_folder(path.parent, parents=True)
        private_file(path)
    except (OSError, FileProblem, UnsafePath):
        return None
    return path

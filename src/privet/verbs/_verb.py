"""A verb: what it takes, reads, promises, spends and makes, said once; and the doing of it.

The command line, the steps of a policy, the JSON schema and the reference pages are made from these declarations, and a
library function builds the same object. New verbs join by registering; nothing else is edited for them.

    @register
    class Query(Verb): ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from privet.artifact import For, OwnerOnly, Publishable, output_name
from privet.dataset import Declaration, Purpose, Seen, seen
from privet.guarantee import Promise
from privet.verbs._verb_options import Options

if TYPE_CHECKING:
    from privet.artifact import Receipt
    from privet.dataset import DataSet
    from privet.evidence import Signing
    from privet.guarantee import Event
    from privet.ledger import Ledger
    from privet.source import Table
    from privet.verbs._request import Request

# Modules of verbs; importing one registers what is in it.
HOMES = (
    "privet.verbs._anonymize_verb",
    "privet.verbs._attack_verb",
    "privet.verbs._audit_verb",
    "privet.verbs._estimate_verb",
    "privet.verbs._pac_verb",
    "privet.verbs._pseudonymize_verb",
    "privet.verbs._release_verb",
    "privet.verbs._synthesize_verb",
    "privet.verbs._tabulate_verb",
    "privet.verbs._train_language_verb",
    "privet.verbs._train_verb",
    "privet.verbs.transform_verbs",
    "privet.pipeline._tradeoff_verb",
)


@dataclass(frozen=True)
class Bound:
    """A step with its verb, its options and its purpose: checked, and nothing of it was done."""

    at: int  # its place in the policy, from 0
    name: str
    verb: Verb
    options: Any
    purpose_name: str
    purpose: Purpose
    to: str  # its plain name
    recipient: str
    columns: tuple[str, ...]  # what it may read, in the policy's order; the unit's column comes with them

    @property
    def place(self) -> str:
        """Its name under the outputs' folder: among the owner's, or what may be given away."""
        return output_name(self.verb.made_for(self.to))

    @property
    def holdout(self) -> float:
        """The share of people that is kept apart from this step."""
        return float(getattr(self.options, "holdout", None) or 0)

    def seen(self, whole: Table, declaration: Declaration) -> Seen:
        """The table as the step may see it."""
        return seen(whole, self.columns, declaration, purpose=self.purpose_name, holdout=self.holdout)


@dataclass(frozen=True)
class Spending:
    """What a step would book. `question` names a release that the ledger keeps, so that it is paid for once."""

    event: Event
    promise: Promise
    errors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    question: str | None = None


@dataclass(frozen=True)
class VerbWork:
    """What a verb has in its hands, through whichever door: the rows it may see, the book, and where its result goes."""

    options: Any
    table: Table
    ledger: Ledger | None
    to: (
        Path | None
    )  # a place of its own; what stands there afterwards is moved to its name whole. None: kept in memory
    why: str
    name: str = ""  # what messages call it
    columns: tuple[str, ...] | None = None  # what it may read; None for all of the table
    purpose: str | None = None
    analyst: str | None = None
    scratch: Path | None = None  # kept until the step is done, also over a crash
    held: Table | None = None  # the people kept apart
    earlier: Mapping[str, Earlier] = field(default_factory=dict)
    folder: Path = Path()
    # The same rows with columns of a text file read as the types stated; None where there is no file to read again.
    read_as: Callable[[Mapping[str, str]], Table] | None = None
    say: Callable[[str], None] = lambda _: None
    watched: bool = False  # whether the owner wants to see how it went
    unit: str | None = None  # of a bare file: whose rows they are, as it was asked
    source: str | None = None  # what the rows were asked for by
    again: bool = False  # whether to spend for a fresh release of what was released before

    @property
    def book(self) -> Ledger:
        """The ledger, of a verb that spends."""
        assert self.ledger is not None
        return self.ledger

    @property
    def place(self) -> Path:
        """Where the result goes, of a verb that always writes one."""
        assert self.to is not None
        return self.to

    def beside(self, name: str | None) -> Path | None:
        """A file that the options name, as seen from the declaration's folder."""
        return None if name is None else self.folder / name


@dataclass(frozen=True)
class Exposed:
    """Something that outsiders can attack, with the truth that attacks are scored with and what they may know.

    `about` says in words what is looked for, where a step exposes several things alike. `recipe` gives a way to make such a
    thing again: for attacks that do so many times, which run where somebody asks for them.
    """

    thing: Any
    members: Any
    control: Any = None
    promise: Promise | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""
    recipe: Callable[[], Any] | None = None


@dataclass(frozen=True)
class Earlier:
    """What an earlier step made, as attacks take it."""

    exposed: Callable[[], tuple[Exposed, ...]]


@dataclass(frozen=True)
class Done:
    """What came of it. `made` is the thing itself, for whoever asked for it here and now."""

    promise: Promise | None = None
    receipt: Receipt | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    risks: tuple[Any, ...] = ()
    untried: tuple[str, ...] = ()
    made: Any = None
    log: Any = None  # how it went, for the owner alone
    ledger: str | None = None  # where it was booked
    opened: Promise | None = None  # the limit of a ledger that was made for this alone
    table: Any = None  # the rows that were used, for the owner's own figures
    held: Any = None  # those that were kept apart, for the same
    signing: Signing | None = None  # what signs for the data set


Thing = TypeVar("Thing")


class Verb:
    """One verb."""

    name: ClassVar[str]
    output: ClassVar[str]  # what purposes allow or not: one of `declaration.Output`
    endings: ClassVar[tuple[str, ...]]  # of the name of what it makes, the first by default; "" for a folder
    options: ClassVar[type[Options]] = Options
    audience: ClassVar[Literal["owner", "public"]] = (
        "owner"  # public: what it makes was released under a promise
    )
    counts_rows: ClassVar[bool] = False  # whether it can do its work without reading a column
    records: ClassVar[bool] = False  # whether it enters a promise that costs no budget in the ledger
    beside: ClassVar[tuple[str, ...]] = ()  # options that name files or folders beside the policy

    def made_for(self, thing: Thing) -> For[Thing]:
        """What it makes, as the type that says for whose eyes it is."""
        return (
            Publishable(thing, "released under a promise") if self.audience == "public" else OwnerOnly(thing)
        )

    def columns(self, options: Any, declaration: Declaration, purpose: Purpose) -> tuple[str, ...]:
        """The columns that it would read; those outside the purpose are refused."""
        del options, declaration
        return tuple(purpose.columns)

    def gaps(self, options: Any, declaration: Declaration, purpose: Purpose) -> list[tuple[str, str]]:
        """What the policy would have to say for this step and does not: the option it is about, and the sentence."""
        del options, declaration, purpose
        return []

    def spends(self, step: Bound, table: Table, accounting: str, folder: Path) -> Spending | None:
        """What it would book; reads no row. None where it costs no budget. Files that options name stand in the folder."""
        del step, table, accounting, folder
        return None

    def pays(self, options: Any) -> bool:
        """Whether it is paid for as it is asked: always, of most verbs that spend."""
        del options
        return spends(self)

    def promise(self, options: Any) -> Promise | None:
        """What it promises without a budget."""
        del options
        return None

    def promise_beside(self, options: Any, folder: Path) -> Promise | None:
        """The same, of a verb whose promise stands in a file that its options name."""
        del folder
        return self.promise(options)

    def bare_table(self, data: DataSet, asked: Request) -> Table:
        """The rows of a data set about which nothing is declared, with what the request says of them."""
        return data.table(delimiter=asked.delimiter, types=asked.types)

    def refuse(self, table: Table, options: Any, columns: tuple[str, ...] | None, folder: Path) -> None:
        """Refuse what can be refused without reading a row, before a ledger is opened."""
        del table, options, columns, folder

    def own_limit(self, options: Any) -> Promise | None:
        """The limit of a ledger that is made for this alone, where nobody names another."""
        del options
        return None

    def explain(self, work: VerbWork) -> Any:
        """What would be done and spent; reads no row and spends nothing."""
        raise NotImplementedError

    def run(self, work: VerbWork) -> Done:
        """Do it, and leave what it makes at `work.to`."""
        raise NotImplementedError

    def load(self, path: Path) -> Any:
        """What it made, as attacks take it; None where there is none to attack."""
        del path
        return None

    def exposed(self, step: Bound, path: Path, seen: Seen, folder: Path) -> tuple[Exposed, ...]:
        """What attacks are tried on; the people kept apart are the control. Empty where there is nothing to attack."""
        del step, folder
        thing = self.load(path)
        return () if thing is None else (Exposed(thing, seen.table, seen.held),)


def files_named(verb: Verb, options: Any) -> list[tuple[str, str]]:
    """The files and folders that options name, each with its option."""
    found: list[tuple[str, str]] = []
    for part in verb.beside:
        said = getattr(options, part)
        names = (
            said.values() if isinstance(said, Mapping) else [said] if isinstance(said, str) else said or ()
        )
        found += [(part, name) for name in names]
    return found


def spends(verb: Verb) -> bool:
    """Whether a verb can be paid for; whether it is, as it is asked, says `Verb.pays`."""
    return type(verb).spends is not Verb.spends


_KNOWN: dict[str, Verb] = {}
Class = TypeVar("Class", bound=type[Verb])


def register(cls: Class) -> Class:
    """Make a verb known by its name."""
    known = _KNOWN.get(cls.name)
    if known is not None and type(known).__qualname__ != cls.__qualname__:
        raise ValueError(f"there is a verb {cls.name!r} already")
    _KNOWN[cls.name] = cls()
    return cls


def verbs() -> dict[str, Verb]:
    """All verbs by name."""
    for home in HOMES:
        import_module(home)
    return dict(sorted(_KNOWN.items()))

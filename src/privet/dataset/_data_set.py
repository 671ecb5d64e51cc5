"""A data set: what was declared about it, and the only way to its rows.

    patients = pv.DataSet.find()                     # privet.yaml, here or in a folder above
    beds = patients.table(purpose="beds")            # the columns of that purpose, on its terms

A data set that has purposes gives rows out for one of them, and then only that purpose's columns. A bare file is a data
set about which nothing is declared: whoever uses it says what a verb needs, and nothing is guessed.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from privet._address_secrets import same_address
from privet.artifact import Displayed
from privet.dataset import _ledger_link as ledger_link
from privet.dataset._approvers import refuse_forged_demand
from privet.dataset._budget_forecast import open_nats, open_purpose
from privet.dataset._dataset_rows import ledger_place, opened, seen
from privet.dataset._declaration import Declaration, DeclaredColumn, Purpose
from privet.dataset._declaration_faults import declaration_in
from privet.dataset._ledger_binding import bind_ledger, refuse_other_ledger
from privet.dataset._purpose_gaps import purpose_gaps
from privet.dataset._signing_key import public_keys_of, signing_of
from privet.dataset._yaml_positions import read_placed
from privet.engine import did_you_mean
from privet.errors import (
    BadPolicy,
    BadUsage,
    Contradicted,
    NoPurpose,
    PolicyBreach,
    PolicyGap,
    SourceMissing,
    checked,
    checked_class,
)
from privet.evidence import Signing
from privet.guarantee import Promise, Unit
from privet.ledger import Ledger, clock, existing_ledger
from privet.source import AccessTerms, open_table

if TYPE_CHECKING:
    from privet.source import Table

NAME = "privet.yaml"


@checked_class
@dataclass(frozen=True, eq=False, repr=False)
class DataSet(Displayed):
    """What is declared about some rows, and where that is written. Opens no file by itself.

    Made by `find` or `read` from a `privet.yaml`, or by `bare` for a file or frame about which nothing is declared.
    """

    declaration: Declaration | None
    folder: Path
    stated_in: Path | None = None
    thing: Any = None  # of a bare data set: the file, address or frame
    digest: str = ""
    _drawn_as: ClassVar[str] = "data set"

    # --- where it comes from -------------------------------------------------------------------

    @classmethod
    @checked
    def find(cls, start: str | Path = ".") -> Self:
        """The data set that is declared in `privet.yaml`, in this folder or the nearest one above it."""
        where = Path(start).resolve()
        for folder in (where, *where.parents):
            if os.path.lexists(
                folder / NAME
            ):  # also a link or a pipe, which is refused: it is not the same as none
                return cls.read(folder / NAME)
        raise SourceMissing(
            f"there is no {NAME} here or in a folder above.",
            "`privet init DATA` writes one; or name the file.",
        )

    @classmethod
    @checked
    def read(cls, path: str | Path) -> Self:
        """The data set that a file declares; all faults of the file are named at once."""
        found = read_placed(Path(path))
        file = Path(path).resolve()
        declaration = declaration_in(found, Declaration)
        return cls(declaration, file.parent, file, digest=found.digest)

    @classmethod
    def bare(cls, thing: Any) -> Self:
        """A file, an address or a frame about which nothing is declared; what a declaration speaks for is refused."""
        cls.refuse_declared(thing)
        return cls(None, Path.cwd(), thing=thing)

    @classmethod
    def of(cls, thing: Any) -> Self:
        """The data set that a thing belongs to: as declared in a `privet.yaml` that names it, else bare."""
        if isinstance(thing, cls):
            return thing
        nothing_said = cls(None, Path.cwd(), thing=thing)
        if not isinstance(thing, str | Path):
            return nothing_said
        try:
            file = None if "://" in str(thing) else Path(str(thing).partition("#")[0]).expanduser().resolve()
        except (ValueError, RuntimeError):  # no path at all, or of nobody's home: opening it says so
            return nothing_said
        here = Path.cwd()
        starts = (here,) if file is None else (file.parent, here)
        # A declaration that is nearer but about something else hides none; one may also name a file outside its folder.
        for folder in dict.fromkeys(above for start in starts for above in (start, *start.parents)):
            if os.path.lexists(folder / NAME) and (found := cls.read(folder / NAME)).declares(thing):
                return found
        return nothing_said

    @classmethod
    def refuse_declared(cls, thing: Any) -> None:
        """Refuse a file or address that a declaration speaks for, where it would be opened as if nothing were declared."""
        found = cls.of(thing)
        if found.declaration is None or isinstance(thing, cls):
            return
        purpose = f"purpose={next(iter(found.purposes))!r}" if found.purposes else ""
        raise Contradicted(
            f"this is the source of a data set that {NAME} declares, which gives its rows out on its own terms.",
            f"Name it as DATA, or in Python: pv.DataSet.read({str(found.stated_in)!r}).table({purpose}). "
            "Nothing was read or spent.",
        )

    # --- what it says --------------------------------------------------------------------------

    @property
    def source(self) -> str | None:
        """Where the rows are; None for a frame in memory."""
        if self.declaration is None:
            return str(self.thing) if isinstance(self.thing, str | Path) else None
        where = self.declaration.dataset.source
        return where if "://" in where else str(self.folder / where)

    @property
    def purposes(self) -> Mapping[str, Purpose]:
        """What the rows may be used for; empty where nothing is declared."""
        return {} if self.declaration is None else self.declaration.purposes

    @property
    def columns(self) -> Mapping[str, DeclaredColumn]:
        """The declared columns, those of another table of the same persons as `stays.ward`."""
        return {} if self.declaration is None else self.declaration.every_column

    def __repr__(self) -> str:
        """What is declared; never a row, nor an address that may hold a password."""
        if self.declaration is None:
            called = "in a database" if "://" in (self.source or "") else repr(self._called())
            return f"Data set {called}: nothing is declared about it"
        return (
            f"Data set {self.declaration.dataset.name!r}, declared in {self.stated_in}: {len(self.columns)} columns, "
            f"hides {self.declaration.dataset.unit.value().sentence()}; "
            f"purposes: {', '.join(self.purposes) or 'none stated'}"
        )

    @checked
    def declares(self, thing: str | Path) -> bool:
        """Whether a file or address is this data set's source, however its place is written."""
        own = self.source
        if own is None or ("://" in own) != ("://" in str(thing)):
            return False
        if "://" in own:
            return same_address(own, str(thing))
        mine, _, my_table = own.partition("#")
        theirs, _, table = str(thing).partition("#")
        return _same_file(Path(mine), Path(theirs).expanduser()) and (
            not table or not my_table or table == my_table
        )

    # --- rows ----------------------------------------------------------------------------------

    @checked
    def table(
        self,
        *,
        purpose: str | None = None,
        columns: Sequence[str] | None = None,
        unit: Unit | None = None,
        types: Mapping[str, str] | None = None,
        **said: Any,
    ) -> Table:
        """The rows for a purpose: only its columns, and on its terms. No row is read yet.

        Args:
            purpose: which of the data set's purposes; needed where it has any.
            columns: fewer columns than the purpose allows.
            unit: of a bare data set, whose presence is hidden; a declared one says that itself.
            types: how columns of a text file are read, where guessing is not wanted: {"zip": "text"}.
            said: of a bare data set, what `open_table` takes: `roles`, `bounds`, `keys`, `delimiter` and so on.
        """
        if self.declaration is None:
            table = open_table(self.thing, unit=unit, types=types, **said)
            return replace(table, terms=(self._bare_terms(table),))
        if unit is not None or said:
            raise BadUsage(
                f"{NAME} says this about the data set already.", f"Change it in {self.stated_in}, not here."
            )
        whole = opened(self.declaration, self.folder, types=types)
        allowed = self.allowed(purpose)
        every = [
            *whole.columns,
            *(f"{name}.{one}" for name, of in whole.children.items() for one in of.columns),
        ]
        wanted = list(columns) if columns is not None else [name for name in every if name in allowed]
        self._refuse_columns(wanted, allowed, purpose)
        bound = purpose if purpose in self.purposes else None
        return seen(whole, wanted, self.declaration, purpose=bound).table

    @checked
    def allowed(self, purpose: str | None) -> set[str]:
        """The columns that may be read for a purpose; refuses where one is needed and none is named, or where it is not fully said."""
        if not self.purposes:
            return set(self.columns)
        if purpose is None:
            raise NoPurpose(
                "the data set has purposes, and rows are given out for one of them.",
                f"Name it: {' or '.join(sorted(self.purposes))}.",
            )
        if purpose not in self.purposes:
            raise NoPurpose(
                f"the data set has no purpose {purpose!r}.", did_you_mean(purpose, list(self.purposes))
            )
        self._refuse_open(purpose)
        return set(self.purposes[purpose].columns)

    def _refuse_open(self, purpose: str) -> None:
        """Nothing is given out for a purpose until somebody has said all that a purpose needs."""
        assert self.declaration is not None
        gaps = [
            f"purposes.{purpose}.{part}: {said}"
            for part, said in purpose_gaps(self.declaration, purpose, clock.now().date())
        ]
        if gaps:
            raise PolicyGap(
                "\n".join(gaps),
                f"Nothing was read or spent. Say it under the purpose in {NAME}.",
                faults=gaps,
            )

    def _refuse_columns(self, wanted: Sequence[str], allowed: set[str], purpose: str | None) -> None:
        unknown = [name for name in wanted if name not in self.columns]
        if unknown:
            raise BadPolicy(
                " ".join(
                    f"column {name!r} is not declared. {did_you_mean(name, self.columns)}" for name in unknown
                ),
                f"Declare it in {NAME}; nothing was read or spent.",
            )
        outside = [name for name in wanted if name not in allowed]
        if outside:
            raise PolicyBreach(
                f"purpose {purpose!r} does not allow {', '.join(map(repr, outside))}.",
                "Nothing was read or spent. Leave these columns out, or let somebody who may change the purpose.",
            )

    def _bare_terms(self, table: Table) -> AccessTerms:
        return AccessTerms(table.name, ledger=ledger_link.known(table.snapshot.file))

    # --- its word ------------------------------------------------------------------------------

    def signing(self) -> Signing | None:
        """What signs for it, following from its declaration; None for a bare one, or where it has no key."""
        found = None if self.declaration is None else signing_of(self.folder)
        return None if found is None else found.following(policy=self.digest)

    # --- the one ledger ------------------------------------------------------------------------

    def ledger_place(self) -> str | None:
        """Where its ledger is: as declared, or of a bare file the one beside it or the one it was first booked in."""
        if self.declaration is not None:
            return ledger_place(self.declaration, self.folder)
        file = self._file()
        return None if file is None else ledger_link.known(file) or f"{file}.ledger"

    @checked
    def ledger(self, where: str | None = None, *, limit: Promise | None = None) -> Ledger:
        """Its one ledger, opened; where a limit is given, a new one is made with its first booking. Any other is refused.

        Args:
            where: the place that was asked for, if any.
            limit: the budget, where there is no ledger yet. A declared data set has its own.
        """
        place = self._booked_at(where)
        if place is None:
            raise BadUsage(
                "a question to a database needs a ledger.",
                "Add --ledger FILE or --ledger postgresql://…, or declare the data set in privet.yaml.",
            )
        unit, begun = None, None
        if self.declaration is not None:
            limit, unit = self.declaration.dataset.budget.promise(), self.declaration.dataset.unit.value()
        elif limit is None and (begun := existing_ledger(place)) is None and "://" not in place:
            raise BadUsage(
                f"there is no ledger at {place} yet, and every answer must be booked.",
                "Add --budget 3,1e-5 (or 3 for questions without a delta, or rho=2) to open it here, or open it first: "
                f"`privet ledger open {shlex.quote(place)} --epsilon 3 --delta 1e-5`.",
            )
        book = begun if begun is not None else Ledger(place, limit=limit, unit=unit, lazily=True)
        if self.declaration is not None:
            refuse_other_ledger(self.folder, book)
            refuse_forged_demand(book, public_keys_of(self.folder))
            book.when_made(partial(bind_ledger, self.folder, book))
            open_nats(book, self.declaration)
        self._open_purposes(book)
        file = self._file()
        if file is not None:
            book.when_made(partial(ledger_link.remember, file, book.place))
        return book

    @checked
    def existing_ledger(self, where: str | None = None) -> Ledger | None:
        """Its ledger if one was begun already; nothing is written."""
        place = self._booked_at(where)
        book = None if place is None else existing_ledger(place)
        if self.declaration is not None:
            refuse_other_ledger(self.folder, book)
        return book

    def _booked_at(self, where: str | None) -> str | None:
        """The ledger's place, if what was asked for is no other."""
        own = self.ledger_place()
        bound = own is not None and (self.declaration is not None or "://" in own or Path(own).exists())
        today = clock.now().date()
        AccessTerms(self._called(), ledger=own if bound else None).admit(
            "answer", ledger=where, purpose=None, today=today
        )
        return where or own

    def _open_purposes(self, book: Ledger) -> None:
        for name, purpose in self.purposes.items():
            if purpose.expires >= clock.now().date():
                open_purpose(book, name, purpose)

    def _file(self) -> Path | None:
        """The file that a bare data set's rows are in."""
        from privet.engine import split_file

        source = self.source
        return None if source is None or "://" in source else split_file(source)[0]

    def _called(self) -> str:
        return Path(self.source or "the table").name.partition(".")[0]


def _same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file: by links of either kind, and in whichever case where the disk knows none."""
    try:
        return one.resolve() == other.resolve() or one.samefile(other)
    except OSError:  # one of them is not there
        return False

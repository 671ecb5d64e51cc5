"""Every exception Privet raises: a code, a fact, a hint and a documentation page.

The *fact* says what is wrong and where; the *hint* says what to do about it. Neither ever carries a raw
value from a data set: rows and columns are named by number and name only. Each code has one page,
`docs/errors/<code>.md`, and a test keeps the two sets equal.

Classes are grouped by what the caller can do about them, and the group decides the exit code:

    PrivetError
    ├── BadInput           2  what was asked is malformed; nothing was read, written or spent
    ├── FindingsExceeded   6  the work was done, and what it found is worse than the limit set for it
    ├── PolicyViolation    7  the request is well-formed and not allowed
    ├── BudgetError        8  the ledger does not cover it
    ├── Tampering          9  a record that must never change has changed
    └── Failure            1  something outside went wrong, or we did (`InternalError`)
"""

from __future__ import annotations

from typing import Any, ClassVar

OK, FAILURE, USAGE, FINDINGS, POLICY, BUDGET, TAMPERING = 0, 1, 2, 6, 7, 8, 9


class PrivetError(Exception):
    """Base of all. `fact` and `hint` are sentences; `details` holds numbers and names for programs."""

    code: ClassVar[str] = ""
    exit_code: ClassVar[int] = FAILURE

    def __init__(self, fact: str, hint: str = "", **details: Any) -> None:
        super().__init__(fact)
        self.fact = fact
        self.hint = hint
        self.details = details

    @property
    def page(self) -> str:
        """Where the documentation explains this code."""
        return f"docs/errors/{self.code}.md"

    def __str__(self) -> str:
        return f"{self.code}: {self.fact}" + (f"\nhint: {self.hint}" if self.hint else "")

    def to_json(self) -> dict[str, Any]:
        """The stable shape that `--json` prints."""
        return {
            "code": self.code,
            "message": self.fact,
            "hint": self.hint,
            "page": self.page,
            "details": self.details,
        }


class BadInput(PrivetError):
    """What was asked is malformed: correct it and ask again. Nothing was read, written or spent."""

    exit_code = USAGE


class FindingsExceeded(PrivetError):
    """The work was done, and what it found is worse than the limit that was set."""

    exit_code = FINDINGS


class PolicyViolation(PrivetError):
    """The request is well-formed, and the policy does not allow it."""

    exit_code = POLICY


class BudgetError(PrivetError):
    """The ledger does not cover the request. Nothing was spent."""

    exit_code = BUDGET


class Tampering(PrivetError):
    """A record that must never change has changed."""

    exit_code = TAMPERING


class Failure(PrivetError):
    """Something outside the request went wrong."""

    exit_code = FAILURE


# --- general -----------------------------------------------------------------------------------


class InternalError(Failure):
    """Privet reached a state it rules out. This is our bug."""

    code = "E-GENERAL-001"


class MissingExtra(Failure):
    """A capability needs an optional library that is not installed."""

    code = "E-GENERAL-002"


class BadUsage(BadInput):
    """The command line could not be understood."""

    code = "E-GENERAL-003"


class FileProblem(Failure):
    """A file could not be read or written."""

    code = "E-GENERAL-004"


class Interrupted(Failure):
    """The user stopped the command."""

    code = "E-GENERAL-005"


# --- guarantees, events, accounting ------------------------------------------------------------


class BadAmount(BadInput):
    """A privacy parameter is not a number that can be promised (negative, infinite, not a number, …)."""

    code = "E-GUARANTEE-001"


class BadUnit(BadInput):
    """The privacy unit is incomplete or contradicts itself."""

    code = "E-GUARANTEE-002"


class UnsoundAlgebra(BadInput):
    """Two promises, or a promise and a number, cannot be combined that way."""

    code = "E-GUARANTEE-003"


class UnknownRecord(BadInput):
    """A stored promise, event or receipt has a kind, field or schema version that is not known."""

    code = "E-GUARANTEE-004"


class UnsupportedEvent(BadInput):
    """No valid accountant covers this event under the conditions asked for."""

    code = "E-GUARANTEE-005"


class BadNotation(BadInput):
    """A mechanism written for the privacy calculator could not be read; the message points at the character."""

    code = "E-GUARANTEE-006"


class NoSolution(BadInput):
    """No value of the free parameter meets the target."""

    code = "E-GUARANTEE-007"


# --- sealed values and mechanisms --------------------------------------------------------------


class SealBroken(PolicyViolation):
    """An exact answer was about to be used without paying for it."""

    code = "E-SEALED-001"


class BadSensitivity(BadInput):
    """A sensitivity is impossible or contradicts itself."""

    code = "E-SEALED-002"


class PermitMismatch(PolicyViolation):
    """The permit does not cover what the mechanism was about to draw."""

    code = "E-MECHANISM-001"


class OutOfRange(BadInput):
    """A value does not fit the integers that noise is drawn on."""

    code = "E-MECHANISM-002"


class NothingToChoose(BadInput):
    """A selection was asked for among no candidates."""

    code = "E-MECHANISM-003"


# --- ledger ------------------------------------------------------------------------------------


class BudgetExceeded(BudgetError):
    """The spend is larger than what is left in a budget it touches."""

    code = "E-LEDGER-001"


class BudgetExpired(BudgetError):
    """A budget the spend touches has passed its end date."""

    code = "E-LEDGER-002"


class NoSuchBudget(BudgetError):
    """The purpose or analyst named has no budget in this ledger."""

    code = "E-LEDGER-003"


class PermitSpent(PolicyViolation):
    """A permit is good for one draw and was used before."""

    code = "E-LEDGER-004"


class LedgerTampered(Tampering):
    """The chain of entries does not verify."""

    code = "E-LEDGER-005"


class LedgerUnavailable(Failure):
    """The ledger's store cannot be opened, read or written."""

    code = "E-LEDGER-006"


class LedgerMismatch(BadInput):
    """The ledger exists with other terms than those asked for (limit, accounting, unit)."""

    code = "E-LEDGER-007"


class EventNotPriced(BudgetError):
    """The budget's accounting cannot price this event; nothing was booked."""

    code = "E-LEDGER-008"


class LedgerBusy(Failure):
    """Another process held the ledger for too long."""

    code = "E-LEDGER-009"


class BadBooking(BadInput):
    """What should be booked is described in a way the ledger cannot keep; nothing was booked."""

    code = "E-LEDGER-010"


# --- engine ------------------------------------------------------------------------------------


class EngineVersion(Failure):
    """The engine's version has not passed the neighbour test, so its answers cannot carry a promise."""

    code = "E-ENGINE-001"


class UnknownColumn(BadInput):
    """A column that was named does not exist."""

    code = "E-ENGINE-002"


class BadExpression(BadInput):
    """An expression mixes kinds that do not go together, or asks for something outside the closed list."""

    code = "E-ENGINE-003"


class BadAggregate(BadInput):
    """A measure or a contribution bound cannot be computed exactly, or contradicts itself."""

    code = "E-ENGINE-004"


class BadKeys(BadInput):
    """A public table of keys does not fit: repeated keys, wrong columns or wrong kinds."""

    code = "E-ENGINE-005"


class BadSpeed(BadInput):
    """A limit on memory or threads cannot be understood."""

    code = "E-ENGINE-006"


class EngineFailed(Failure):
    """The engine gave up. Its own message may quote data, so it is not repeated."""

    code = "E-ENGINE-007"


# --- disclosure --------------------------------------------------------------------------------


class BadCodes(BadInput):
    """A table of codes contradicts itself, or a figure was asked for that it cannot give."""

    code = "E-DISCLOSURE-001"


class DisclosureTooLarge(BadInput):
    """An exact figure would take more work than the stated limit."""

    code = "E-DISCLOSURE-002"


# --- sources: tables, columns, bounds, keys ----------------------------------------------------


class SourceMissing(BadInput):
    """There is no such file, or it is a directory, or it may not be read."""

    code = "E-SOURCE-001"


class UnknownFormat(BadInput):
    """Neither the file's ending, the address nor the object's type is one that Privet opens."""

    code = "E-SOURCE-002"


class MalformedSource(BadInput):
    """A file breaks the rules of its own format: torn, empty, wrongly encoded, or with rows that do not fit."""

    code = "E-SOURCE-003"


class SourceUnreachable(Failure):
    """A database could not be reached, or did not let us in."""

    code = "E-SOURCE-004"


class NoSuchTable(BadInput):
    """The database has no table of that name, or several and none was named."""

    code = "E-SOURCE-005"


class BadColumnNames(BadInput):
    """The columns' names cannot be used: two are equal, one is empty, or the first line is data."""

    code = "E-SOURCE-006"


class BadDeclaration(BadInput):
    """What was said about a table (roles, unit, bounds, keys) does not fit it. All faults are listed at once."""

    code = "E-SOURCE-007"


class BadBounds(BadInput):
    """Bounds that hold nothing, or are not numbers."""

    code = "E-SOURCE-008"


class BadKeySet(BadInput):
    """A set of public keys is empty, repeats itself, or mixes shapes."""

    code = "E-SOURCE-009"


class NotPublic(PolicyViolation):
    """Bounds or keys were read off the private data, and nobody has taken responsibility for making them public."""

    code = "E-SOURCE-010"


class BadQuery(BadInput):
    """A query asks for something that its table does not have or that cannot be computed. All faults are listed."""

    code = "E-SOURCE-011"


# --- releases ----------------------------------------------------------------------------------


class BadQuestion(BadInput):
    """A question in SQL cannot be read, or asks for something that cannot be private; the message points at the word."""

    code = "E-RELEASE-001"


class PromiseUnmeetable(BadInput):
    """The question cannot be answered under this promise, whatever the noise."""

    code = "E-RELEASE-002"


# --- anonymize: transforms, keys, pseudonyms ---------------------------------------------------


class BadTransform(BadInput):
    """A transform was asked for that does not fit its columns, or lacks something it needs."""

    code = "E-ANONYMIZE-001"


class GuessableHash(PolicyViolation):
    """An unkeyed hash was asked for of values that anybody can guess and hash again."""

    code = "E-ANONYMIZE-002"


class BadKeyRing(BadInput):
    """The keys that were found cannot be used: malformed, too short, or with ids that clash."""

    code = "E-ANONYMIZE-003"


class NoKeys(BadInput):
    """Pseudonyms need a key, and none was found where keys are kept."""

    code = "E-ANONYMIZE-004"


class SecretExposed(PolicyViolation):
    """A file of keys or a vault can be read by others than its owner."""

    code = "E-ANONYMIZE-005"


class KeyFileLocked(Failure):
    """A file of keys does not open: the passphrase is wrong or missing, or the file was changed."""

    code = "E-ANONYMIZE-006"


class SmallDomain(PolicyViolation):
    """Format-preserving pseudonyms were asked for of values with fewer than a million possibilities."""

    code = "E-ANONYMIZE-007"


class BadPseudonym(BadInput):
    """A column holds values that are not pseudonyms of these keys, this data set and this domain."""

    code = "E-ANONYMIZE-008"


class VaultUnavailable(Failure):
    """A vault cannot be opened, read or written, or the file is not one."""

    code = "E-ANONYMIZE-009"


class NoSuchSubject(BadInput):
    """Nobody of that id or pseudonym is in the vault, so nothing was erased."""

    code = "E-ANONYMIZE-010"


# --- audit, as a whole -------------------------------------------------------------------------


class BadAudit(BadInput):
    """An audit was asked for in a way that does not fit the tables it is about."""

    code = "E-AUDIT-001"


class NothingToAudit(BadInput):
    """The table has no rows, or no column that can be compared."""

    code = "E-AUDIT-002"


class BadRoles(BadInput):
    """A file of roles cannot be read, or is not one."""

    code = "E-AUDIT-003"


class BadAnonymization(BadInput):
    """A table was to be anonymized in a way that does not fit its columns. All faults are listed at once."""

    code = "E-ANONYMIZE-040"


class PromiseBroken(Failure):
    """The finished file did not keep the promise when it was read back; it was not published."""

    code = "E-ANONYMIZE-041"


class BadRecipe(BadInput):
    """A recipe needs to know more about the columns, or its own data cannot be read."""

    code = "E-ANONYMIZE-042"


class SeveralRowsPerPerson(BadInput):
    """Some people have several rows, so that counting rows would not count people."""

    code = "E-ANONYMIZE-043"


# --- anonymize: hierarchies, models and search -------------------------------------------------


class BadHierarchy(BadInput):
    """A hierarchy contradicts itself: every offending row and level is listed."""

    code = "E-ANONYMIZE-020"


class HierarchyIncomplete(BadInput):
    """The table holds values that a hierarchy does not have a path for."""

    code = "E-ANONYMIZE-021"


class HierarchyUnreadable(BadInput):
    """A file of a hierarchy is missing, ambiguous, or cannot be read."""

    code = "E-ANONYMIZE-022"


class HierarchyUnmakeable(BadInput):
    """A hierarchy cannot be made from these values in the way that was asked for."""

    code = "E-ANONYMIZE-023"


class BadSearch(BadInput):
    """A search was asked for with settings that do not exist or do not fit each other."""

    code = "E-ANONYMIZE-024"


class Unreachable(BadInput):
    """No anonymization of this table can keep what was asked for."""

    code = "E-ANONYMIZE-025"


class LatticeTooLarge(BadInput):
    """There are too many ways of generalizing to look at each of them."""

    code = "E-ANONYMIZE-026"


class ModelUnfit(BadInput):
    """A privacy model does not fit the table, its hierarchies or the way of searching."""

    code = "E-ANONYMIZE-027"


class UtilityUnmeasurable(BadInput):
    """What a table is still good for cannot be measured in the way that was asked for."""

    code = "E-ANONYMIZE-028"


# --- examples ----------------------------------------------------------------------------------


class SourceChanged(Failure):
    """A file was changed after it was opened, so that it is no longer the snapshot that was named."""

    code = "E-SOURCE-012"


class BadExample(BadInput):
    """An example data set was asked for that cannot be made."""

    code = "E-EXAMPLE-001"


def catalogue() -> dict[str, type[PrivetError]]:
    """All codes with their classes, in order."""
    found: dict[str, type[PrivetError]] = {}
    todo: list[type[PrivetError]] = [PrivetError]
    while todo:
        cls = todo.pop()
        todo.extend(cls.__subclasses__())
        if cls.code and cls.__module__ == __name__:
            found[cls.code] = cls
    return dict(sorted(found.items()))

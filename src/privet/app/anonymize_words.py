"""Reading what `privet anonymize` was told: roles, promises, weights and recipes, from words to objects."""

from __future__ import annotations

import contextlib
import csv
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import BadUsage, FileProblem

if TYPE_CHECKING:
    from privet.dataset import DataSet
    from privet.guarantee.promises import Promise
    from privet.ledger import Ledger
    from privet.source.table import Table

# What the recipe does with each category of personal data that it does not simply remove.
_KINDS = {
    "user.contact.address.postal_code": "zip",
    "user.demographic.date_of_birth": "birth date",
    "user.demographic.year_of_birth": "birth date",
    "user.demographic.age": "age",
    "user.date": "date",
}


def check_outputs(out: Path | None, page: Path | None, record: Path | None) -> None:
    """Refuse impossible outputs before any work."""
    if out is None and page is None and record is None:
        raise BadUsage("nothing is asked for that could be kept.", "Name a file: -o safe.parquet.")
    endings = ((out, (".parquet", ".csv")), (page, (".html", ".htm")), (record, (".json",)))
    for path, known in endings:
        if path and path.suffix not in known:
            raise BadUsage(f"{path.name} cannot be written.", f"End the name in {' or '.join(known)}.")
        if path and not path.resolve().parent.is_dir():
            raise BadUsage(f"the folder of {path.name} does not exist.", "Create it first.")
        if path and (path.is_dir() or not os.access(path.resolve().parent, os.W_OK)):
            raise FileProblem(f"{path.name} could not be written.", "Name a file in a folder of your own.")


def stated_roles(
    quasi: str | None, sensitive: str | None, keep: str | None, file: Path | None
) -> dict[str, str]:
    """Roles from a file and from the options; options win over the file, and never contradict each other."""
    found: dict[str, str] = {}
    if file is not None:
        from privet.source.roles_file import read_roles

        found = {name: role for name, role in read_roles(file).items() if role != "free text"}
    said: dict[str, str] = {}
    options = (
        ("--quasi", quasi, "quasi"),
        ("--sensitive", sensitive, "sensitive"),
        ("--keep", keep, "insensitive"),
    )
    for option, text, role in options:
        for name in _names(text, option):
            if name in said:
                raise BadUsage(f"column {name!r} is named twice.", "Give each column one role.")
            said[name] = role
    return {**found, **said}


def with_sensitive(roles: dict[str, str], promise: Promise) -> dict[str, str]:
    """Columns that a promise protects are sensitive, unless something else was said."""
    from privet.guarantee.promises import parts

    named = [getattr(part, "column", None) for part in parts(promise)]
    return {**{name: "sensitive" for name in named if isinstance(name, str)}, **roles}


def opened(
    owner: DataSet, roles: dict[str, str], *, unit: str | None, delimiter: str | None, purpose: str | None
) -> Table:
    """The table with what was said about it, by its declaration or by the options: what nobody said is not guessed."""
    from privet.dataset.statement import Statement
    from privet.errors import Contradicted, UnitNotStated
    from privet.guarantee.units import Person, Row

    Statement(unit, delimiter=delimiter).refuse_beside(owner)
    if owner.declaration is not None:
        if roles:
            raise Contradicted(
                "the declaration says what the columns are.", "Leave the roles out, or change them there."
            )
        return owner.table(purpose=purpose)
    if unit is None:
        raise UnitNotStated(
            "say whose rows they are: a person with several rows would hide among their own.",
            "Add --unit patient_id, the column that identifies a person, or --unit row if each row is a person. "
            f"`privet audit {shlex.quote(owner.source or 'DATA')}` shows which columns look like one.",
        )
    return owner.table(roles=roles, unit=Row() if unit == "row" else Person(unit), delimiter=delimiter)


def refuse_without_roles(table: Table) -> None:
    """Rows leave with the columns that somebody has spoken of. The hint repeats what an audit proposes."""
    from privet.errors import RolesNotStated

    if table.with_role("quasi"):
        return
    raise RolesNotStated(
        "nobody has said what an outsider may know of these rows: no column is stated as a quasi-identifier.",
        f"An audit proposes: {proposed(table)}. Look through it, then add it; columns that are not named are withheld.",
    )


def proposed(table: Table) -> str:
    """The options that state what an audit finds; columns that it is not sure of are not among them."""
    from privet.audit.classification import classify
    from privet.guarantee.units import Person

    own = table.unit.column if isinstance(table.unit, Person) else None
    findings = {name: found for name, found in classify(table).items() if name != own}
    said = []
    for option, role in (("--quasi", "quasi"), ("--sensitive", "sensitive")):
        names = [_in_a_list(name) for name, found in findings.items() if found.role == role]
        if names:
            said.append(f"{option} {shlex.quote(','.join(names))}")
    return " ".join(said) or "no quasi-identifier; name those that an outsider may know with --quasi"


def _in_a_list(name: str) -> str:
    """A name as a list of names on the command line holds it."""
    return '"' + name.replace('"', '""') + '"' if "," in name or '"' in name else name


@dataclass(frozen=True)
class Models:
    """The rarer promises, as they were written."""

    beta: list[str] | None = None
    delta_disclosure: list[str] | None = None
    alpha: list[str] | None = None
    max_risk: str | None = None
    mean_risk: str | None = None
    k_map: str | None = None
    presence: str | None = None
    population_unique: str | None = None

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))


def nothing_beside_a_recipe(
    k: int | None,
    l: list[str] | None,  # noqa: E741  the literature's name
    t: list[str] | None,
    more: Models,
) -> None:
    """Refuse promises that are asked for together with a rule of law."""
    if k is not None or l or t or more:
        raise BadUsage(
            "a recipe is a rule of its own.", "Apply it first, then anonymize what it has written."
        )


def promised(k: int | None, l: list[str] | None, t: list[str] | None, more: Models) -> Promise:  # noqa: E741
    """The promises of the options, joined."""
    from privet.guarantee.amounts import exact
    from privet.guarantee.promises import AllOf, KAnonymity, LDiversity, TCloseness

    found: list[Promise] = [] if k is None else [KAnonymity(k)]
    for column, words in _assigned(l, "--l", "diagnosis=3", most=3):
        variant = words[1] if len(words) > 1 else "distinct"
        constant = exact(words[2], "c") if len(words) > 2 else None
        found.append(LDiversity(column, _whole(words[0], "--l"), variant, constant))
    found += [TCloseness(column, *words) for column, words in _assigned(t, "--t", "diagnosis=0.2", most=2)]
    found += [*_by_values(more, k), *_by_population(more)]
    if not found:
        raise BadUsage("a table is anonymized for a promise.", "Add --k 5, or --l diagnosis=3.")
    return AllOf.of(found)


def _by_values(more: Models, k: int | None) -> Iterator[Promise]:
    """Promises about sensitive values, and about risk."""
    from privet.guarantee.amounts import exact
    from privet.guarantee.promises import AlphaK, BetaLikeness, DeltaDisclosure, RiskThreshold

    for column, words in _assigned(more.beta, "--beta", "diagnosis=1", most=2):
        yield BetaLikeness(column, *words)
    for column, words in _assigned(more.delta_disclosure, "--delta-disclosure", "diagnosis=1", most=2):
        yield DeltaDisclosure(column, *words)
    for column, words in _assigned(more.alpha, "--alpha", "diagnosis=0.5"):
        if k is None:
            raise BadUsage("(alpha, k)-anonymity needs its k.", "Add --k 5.")
        yield AlphaK(column, words[0], k)
    if more.max_risk is not None or more.mean_risk is not None:
        highest = exact(more.max_risk, "max_risk") if more.max_risk is not None else None
        average = exact(more.mean_risk, "mean_risk") if more.mean_risk is not None else None
        yield RiskThreshold(highest, average)


def _by_population(more: Models) -> Iterator[Promise]:
    """Promises about the population that the table was drawn from."""
    from privet.guarantee.amounts import exact
    from privet.guarantee.promises import DeltaPresence, KMap, PopulationUniqueness

    if more.k_map is not None:
        k, *rest = more.k_map.split(":")
        if len(rest) not in (0, 3):
            raise BadUsage("--k-map could not be read.", "Write --k-map 5, or --k-map 5:poisson:0.01:0.05.")
        number = _whole(k, "--k-map")
        if rest:
            yield KMap(number, rest[0], exact(rest[1], "fraction"), exact(rest[2], "significance"))
        else:
            yield KMap(number)
    if more.presence is not None:
        low, sign, high = more.presence.partition(":")
        if not sign:
            raise BadUsage("--presence could not be read.", "Write --presence 0:0.2.")
        yield DeltaPresence(low, high)
    if more.population_unique is not None:
        share, *rest = more.population_unique.split(":")
        if len(rest) not in (1, 2):
            raise BadUsage("--population-unique could not be read.", "Write --population-unique 0.01:0.1.")
        yield PopulationUniqueness(share, *rest)


def everybody(where: str | None, delimiter: str | None) -> Table | None:
    """The population's table, if one was named."""
    if where is None:
        return None
    from privet.source import open_table

    text = where.lower().removesuffix(".gz").endswith((".csv", ".tsv"))
    return open_table(where, delimiter=delimiter if text else None)


def weights(given: list[str] | None) -> dict[str, float] | None:
    """How much each column matters."""
    found = {}
    for column, words in _assigned(given, "--weights", "age=2"):
        try:
            found[column] = float(words[0])
        except ValueError:
            raise BadUsage("--weights could not be read.", "Write --weights age=2.") from None
    return found or None


@contextlib.contextmanager
def book(owner: DataSet, where: str | None) -> Iterator[Ledger | None]:
    """The data set's ledger, to record the promise in; None for a bare file that has none yet."""
    bare = where is None and owner.declaration is None
    found = owner.existing_ledger() if bare else owner.ledger(where)
    if found is None:
        yield None
        return
    with found:
        yield found


def safe_harbor_kinds(table: Table, given: list[str] | None) -> tuple[Table, dict[str, str]]:
    """What each column is to the recipe: as said, else removed or made coarse where an audit finds an identifier.

    Every other column must be spoken of: that nothing identifying was seen in it does not mean that nothing is.
    """
    from privet.audit.classification import classify
    from privet.errors import BadRecipe
    from privet.source import Role

    said = {column: words[0].replace("-", " ") for column, words in _assigned(given, "--as", "note=remove")}
    findings = classify(table)
    kinds: dict[str, str] = {}
    undecided = []
    for name, finding in findings.items():
        if name in said:
            kinds[name] = said[name]
        elif finding.category in _KINDS:
            kinds[name] = _KINDS[finding.category]
        elif finding.hipaa is not None or finding.role == "direct":
            kinds[name] = "remove"
        elif table.roles.get(name) in (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE):
            kinds[name] = "keep"
        else:
            undecided.append(name)
    if undecided:
        raise BadRecipe(
            f"nobody has said that these columns hold none of the 18 identifiers: {', '.join(map(repr, undecided))}.",
            f"Say what is to be done with each: {' '.join(f'--as {shlex.quote(name)}=remove' for name in undecided)}, "
            "or =keep once somebody has looked.",
            columns=undecided,
        )
    return table, {**said, **kinds}


def _names(text: str | None, option: str) -> list[str]:
    if text is None:
        return []
    # As in a CSV file, a name that holds a comma is written in quotation marks.
    names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    if not all(names):
        raise BadUsage(f"{option} could not be read.", f"Write {option} a,b,c.")
    return names


def _assigned(
    given: list[str] | None, option: str, example: str, most: int = 1
) -> list[tuple[str, list[str]]]:
    """Columns with what is said of each, at most so many words with colons between them; none is passed over."""
    found = []
    for text in given or []:
        column, sign, rest = text.rpartition("=")
        if not (column and sign and rest) or len(rest.split(":")) > most:
            raise BadUsage(f"{option} could not be read.", f"Write {option} {example}.")
        found.append((column, rest.split(":")))
    return found


def _whole(text: str, option: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise BadUsage(f"{option} could not be read: it needs a whole number.", "") from None

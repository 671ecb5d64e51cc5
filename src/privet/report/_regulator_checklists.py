"""What regulators and standards ask, as lists whose answers are derived where they can be and left open where not.

Every item says how it stands: met, not met, not tested, not recognised (it was looked for, and may be there all the same),
open (for human review), or not applicable. What is met follows from something that was checked. Nothing here claims that
data are anonymous, for ever, or without risk: that is for a person to conclude, with a date to look again (EDPS and
AEPD, "10 misunderstandings related to anonymisation", 2021).
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from privet.dataset import claims_none, lawful_point, special_point


class ItemStanding(enum.Enum):
    """How an item stands."""

    MET = "met"
    NOT_MET = "not met"
    OPEN = "open: for human review"
    NOT_APPLICABLE = "not applicable"
    WITHHELD = "in the owner's report only"
    NOT_TESTED = "not tested"
    NOT_RECOGNISED = "not recognised"


@dataclass(frozen=True, slots=True)
class Item:
    """One point of a list, how it stands, and on what evidence."""

    asks: str
    standing: ItemStanding
    evidence: str = ""

    def to_json(self) -> dict[str, str]:
        """A stable record."""
        return {"asks": self.asks, "standing": self.standing.value, "evidence": self.evidence}


def hazards(facts: Mapping[str, Any]) -> tuple[Item, ...]:
    """The hazards that NIST SP 800-226 (2025) lists for differential privacy, checked against what was done.

    `facts` holds: private (whether anything was released under differential privacy), unit ("person" or "row"),
    max_rows, epsilon, delta, people (a number that may be shown to whoever reads this, or None), bounds_public and
    keys_public (None where nobody but a person can tell), tuned, tuning_booked, float_noise, pace, outside (names of what
    was published of the same people under another promise).
    """
    if not facts.get("private"):
        return (Item("Something was released under differential privacy", ItemStanding.NOT_APPLICABLE),)
    epsilon, delta, people = facts.get("epsilon"), facts.get("delta") or 0.0, facts.get("people")
    return (
        _unit(facts),
        Item(
            "Contributions are bounded",
            ItemStanding.MET if facts.get("max_rows") or facts.get("unit") == "row" else ItemStanding.NOT_MET,
            "in the engine, before anything is added up",
        ),
        Item(
            "Epsilon is small enough to mean something, over all releases together",
            ItemStanding.OPEN if epsilon is None else _small(float(epsilon)),
            "" if epsilon is None else f"epsilon {float(epsilon):g} in all: {odds(float(epsilon))}",
        ),
        Item(
            "Delta is far below one over the number of people",
            ItemStanding.OPEN
            if people is None
            else ItemStanding.MET
            if delta * people < 0.1
            else ItemStanding.NOT_MET,
            f"delta {delta:g}" if people is None else f"delta {delta:g}, among {people:,} people",
        ),
        _all_counted(facts.get("outside", ())),
        _not_read_off(facts),
        _tuned(facts),
        _arithmetic(facts),
        Item(
            "Time and errors do not depend on the data",
            ItemStanding.MET if facts.get("pace") else ItemStanding.OPEN,
            "answers leave at a set pace" if facts.get("pace") else "no pace was set: see sharp edges",
        ),
        Item(
            "Whoever holds the raw data and the ledger is trusted, and access is guarded", ItemStanding.OPEN
        ),
        Item("The raw data are kept no longer than needed", ItemStanding.OPEN),
        Item(
            "Small groups are not misjudged because of noise or clamping",
            ItemStanding.OPEN,
            "error bars stand beside every answer",
        ),
    )


def _unit(facts: Mapping[str, Any]) -> Item:
    """That a unit is a person is what somebody stated: a key may number households, and a person may have several."""
    column = facts.get("unit_column")
    if facts.get("unit") == "person":
        said = "everything of one person" if column is None else f"everything of one {column!r}"
        evidence = f"the unit is {said}, as stated; does each person have one and only one?"
    else:
        evidence = (
            "the unit is a row, as stated; a person with several rows is protected less: does each have one?"
        )
    return Item("The unit of privacy is the person, not one of their rows", ItemStanding.OPEN, evidence)


def _tuned(facts: Mapping[str, Any]) -> Item:
    asks = "Settings were not tuned on the data for free"
    if facts.get("tuning_booked"):
        return Item(asks, ItemStanding.MET, "a sweep over the data was paid for")
    if facts.get("tuned"):
        return Item(asks, ItemStanding.NOT_MET, "a sweep over the data itself was made, and not paid for")
    return Item(
        asks, ItemStanding.OPEN, "nothing in this run was tuned; what was tried before is not known here"
    )


def _all_counted(outside: Sequence[str]) -> Item:
    asks = "Epsilon counts everything that was made of these people"
    if not outside:
        return Item(asks, ItemStanding.OPEN, "all of this run; what was made elsewhere is not known here")
    return Item(
        asks,
        ItemStanding.NOT_MET,
        f"{', '.join(outside)}: not under differential privacy; epsilon does not say what it and the rest show together",
    )


def _not_read_off(facts: Mapping[str, Any]) -> Item:
    asks, stated = (
        "Bounds and group keys were not read off the data",
        [facts.get("bounds_public"), facts.get("keys_public")],
    )
    if None in stated:
        return Item(
            asks,
            ItemStanding.OPEN,
            "bounds and lists of values were stated as public; unknown keys pass a threshold that is paid for",
        )
    return Item(
        asks,
        ItemStanding.MET if all(stated) else ItemStanding.NOT_MET,
        "origins are stated; unknown keys pass a threshold that is paid for",
    )


def _arithmetic(facts: Mapping[str, Any]) -> Item:
    asks = "Noise is free of floating-point flaws"
    if facts.get("float_noise"):
        return Item(
            asks,
            ItemStanding.OPEN,
            "answers: integer noise on fixed-point sums, from OpenDP; models: normal noise in floating point, "
            "rounded to a grid",
        )
    return Item(asks, ItemStanding.MET, "integer noise on fixed-point sums, from OpenDP")


def odds(epsilon: float) -> str:
    """Epsilon as people can read it: how much surer an attacker can become who was undecided."""
    from math import exp

    sure = 1 / (1 + exp(-min(epsilon, 50)))
    said = f"an attacker who was undecided is right at most {100 * sure:.3g} times in 100"
    return f"{said}, which is next to no protection" if sure > 0.99 else said


def _small(epsilon: float) -> ItemStanding:
    return ItemStanding.MET if epsilon <= 1 else ItemStanding.OPEN if epsilon <= 10 else ItemStanding.NOT_MET


def dpia(facts: Mapping[str, Any]) -> tuple[tuple[str, tuple[Item, ...]], ...]:
    """A draft of the assessment that GDPR Art. 35(7) asks for: what can be derived is filled in, the rest left open."""
    person = ItemStanding.OPEN

    def told(asks: str, evidence: str) -> Item:
        return Item(asks, ItemStanding.MET if evidence else person, evidence)

    columns = ", ".join(facts.get("columns", ()))
    dropped = ", ".join(facts.get("dropped", ()))
    return (
        (
            "Description of the processing",
            (
                told("Which personal data are read", columns),
                told("What is made of them", ", ".join(facts.get("artifacts", ()))),
                Item("Nature, scope, context of the processing", person),
            ),
        ),
        (
            "Purposes and legal basis",
            tuple(
                item
                for name, purpose in facts.get("purposes", {}).items()
                for item in (
                    _basis(f"{name}: {purpose['use']}", str(purpose.get("basis") or "")),
                    *_special_basis(name, purpose, facts.get("special", ())),
                )
            ),
        ),
        (
            "Necessity and proportionality",
            (
                told("Declared columns that were not read", dropped or "none"),
                Item("Why each remaining column is needed", person),
            ),
        ),
        ("Views of the people concerned", (Item("Whether and how they were asked", person),)),
        (
            "Risks to their rights and freedoms",
            tuple(told(one["attack"], one["sentence"]) for one in facts.get("risks", ()))
            or (Item("What attacks found", person, "nothing was attacked"),),
        ),
        ("Measures", tuple(told(one, "as recorded in this run") for one in facts.get("measures", ()))),
        (
            "Residual risk and review",
            (
                told("When this is looked at again", ", ".join(facts.get("reviews", ()))),
                Item("For whom what was made is still personal data, and by which means", person),
                Item("Whether the risk that is left is acceptable", person),
            ),
        ),
        (
            "Advice and signature",
            (Item("The data protection officer's advice", person), Item("Signature", person)),
        ),
    )


def _basis(asks: str, basis: str) -> Item:
    """A legal basis as the policy states it. That it holds is never derived: a text can name it, and a person must judge."""
    point = lawful_point(basis)
    if point is not None:
        return Item(asks, ItemStanding.OPEN, f"stated: {basis} ({point}); does it apply?")
    if not basis.strip() or claims_none(basis):
        return Item(asks, ItemStanding.NOT_MET, basis.strip() or "no legal basis is stated")
    return Item(asks, ItemStanding.OPEN, f"stated: {basis}; it names no point of GDPR Art. 6(1)")


def _special_basis(name: str, purpose: Mapping[str, Any], special: Sequence[str]) -> list[Item]:
    """Besides Art. 6(1), special categories need a point of Art. 9(2)."""
    used = [column for column in purpose.get("columns", ()) if column in special]
    if not used:
        return []
    asks = f"{name}: special categories may be used (Art. 9(2)): {', '.join(used)}"
    stated = str(purpose.get("special_basis") or purpose.get("basis") or "")
    point = special_point(stated)
    if point is None:
        return [Item(asks, ItemStanding.NOT_MET, "no point of GDPR Art. 9(2) is named")]
    return [Item(asks, ItemStanding.OPEN, f"stated: {stated} ({point}); does it apply?")]


def article_30(facts: Mapping[str, Any]) -> tuple[Item, ...]:
    """The record of processing activities that GDPR Art. 30(1) asks for, as far as a policy states it.

    `facts` holds: purposes (each with use, recipients, expires), categories, special, measures.
    """
    person = ItemStanding.OPEN

    def told(asks: str, evidence: str) -> Item:
        return Item(asks, ItemStanding.MET if evidence else person, evidence)

    purposes: Mapping[str, Mapping[str, Any]] = facts.get("purposes", {})
    recipients = dict.fromkeys(one for purpose in purposes.values() for one in purpose.get("recipients", ()))
    return (
        Item("(a) Controller, joint controllers, representative, data protection officer", person),
        told("(b) Purposes", "; ".join(f"{name}: {one['use']}" for name, one in purposes.items())),
        Item("(c) Categories of people", person),
        told("(c) Categories of personal data", ", ".join(facts.get("categories", ()))),
        told(
            "(c) Special categories among them (Art. 9), as declared",
            ", ".join(facts.get("special", ())) or "none was declared",
        ),
        told("(d) Recipients", ", ".join(recipients)),
        Item("(e) Transfers to third countries, and their safeguards", person),
        told(
            "(f) Envisaged time limits for erasure of what was made",
            "; ".join(f"{name}: {one['expires']}" for name, one in purposes.items() if one.get("expires")),
        ),
        Item("(f) Envisaged time limit for erasure of the source", person),
        told("(g) Technical measures", " ".join(f"{one.rstrip('.')}." for one in facts.get("measures", ()))),
        Item("(g) Organisational measures", person),
    )


def deidentified_in_california(evidence: str = "the evidence is in this report") -> tuple[Item, ...]:
    """What the CCPA asks of deidentified information (1798.140(m)): commitments that no software can make."""
    return (
        Item("Reasonable measures that nobody is linked again", ItemStanding.OPEN, evidence),
        Item("A public commitment not to try to re-identify", ItemStanding.OPEN),
        Item("Recipients are bound by contract to the same", ItemStanding.OPEN),
    )


# 45 CFR 164.514(b)(2)(i): what must be gone. The letter is that of a column's category; where a column has none, the
# words of its name are held against these.
_IDENTIFIERS = (
    ("(A) Names", ("name", "surname", "forename")),
    (
        "(B) Geography below the state, save the first three digits of a ZIP code",
        ("zip", "postal", "postcode", "address", "street", "city", "county"),
    ),
    (
        "(C) Dates, save the year, and ages over 89",
        ("date", "born", "birth", "dob", "admitted", "discharged", "died", "age"),
    ),
    ("(D) Telephone numbers", ("phone", "telephone", "mobile")),
    ("(E) Fax numbers", ("fax",)),
    ("(F) E-mail addresses", ("email", "mail")),
    ("(G) Social security numbers", ("ssn", "social")),
    ("(H) Medical record numbers", ("mrn", "medical", "patient")),
    ("(I) Health plan numbers", ("plan", "insurance")),
    ("(J) Account numbers", ("account", "iban")),
    ("(K) Certificate and licence numbers", ("licence", "license", "certificate")),
    ("(L) Vehicle identifiers and plates", ("vehicle", "plate", "vin")),
    ("(M) Device identifiers and serial numbers", ("device", "serial", "imei")),
    ("(N) Web addresses", ("url", "website")),
    ("(O) Internet addresses", ("ip", "ipv4", "ipv6")),
    ("(P) Biometric identifiers", ("biometric", "fingerprint", "voice")),
    ("(Q) Full-face photographs", ("photo", "image")),
    ("(R) Any other unique number, characteristic or code", ("uuid", "token", "code")),
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[a-z]+\d+|\d+")


def safe_harbor(
    published: Iterable[Mapping[str, str | None]], looked: Sequence[Mapping[str, Any]] | None = None
) -> tuple[Item, ...]:
    """The eighteen identifiers of HIPAA Safe Harbor against the columns of a published table.

    `published` holds, for each column, its name (`column`), what was done to it (`done`) and, where its category is
    known, the letter of the identifier it is (`letter`, None for none of them). `looked` is what `identifiers_in` recognised
    in the file itself; None where nobody looked into it. What was kept as it is, or stands in the file as an identifier,
    is not met; whoever publishes must still look, and must have no actual knowledge that somebody could be identified.
    """
    columns = list(published)
    found = [_identifier(asks, words, columns, looked) for asks, words in _IDENTIFIERS]
    found.append(
        Item(
            "Somebody has looked at every column that is published",
            ItemStanding.OPEN,
            "an identifier that is not recognised may be there all the same",
        )
    )
    found.append(Item("No actual knowledge that what is left identifies somebody", ItemStanding.OPEN))
    return tuple(found)


def _identifier(
    asks: str,
    words: Sequence[str],
    columns: Sequence[Mapping[str, str | None]],
    looked: Sequence[Mapping[str, Any]] | None,
) -> Item:
    seen = [one for one in looked or () if one["letter"] == asks[1]]
    coarse = {str(one["column"]): str(one["coarse"]) for one in seen if one["coarse"] is not None}
    raw = [str(one["column"]) for one in seen if one["coarse"] is None]
    like = [one for one in columns if _sounds(one, asks[1], words)]
    kept = [
        str(one["column"])
        for one in like
        if "as it was" in str(one["done"]) or str(one["done"]).startswith(("kept", "unchanged"))
    ]
    if raw or kept:
        said = [f"recognised in the file: {', '.join(raw)}"] if raw else []
        said += [f"published as it was: {', '.join(kept)}"] if kept else []
        return Item(asks, ItemStanding.NOT_MET, "; ".join(said))
    if like or coarse:
        done = {str(one["column"]): str(one["done"]) for one in like}
        told = [
            f"{name}: {', '.join(dict.fromkeys(one[name] for one in (done, coarse) if name in one))}"
            for name in {**done, **coarse}
        ]
        return Item(asks, ItemStanding.OPEN, f"{'; '.join(told)}; is that enough?")
    if looked is None:
        return Item(asks, ItemStanding.NOT_TESTED, "the file was not looked into")
    return Item(
        asks, ItemStanding.NOT_RECOGNISED, "looked for in the names and sampled values of the file's columns"
    )


def _sounds(column: Mapping[str, str | None], letter: str, words: Sequence[str]) -> bool:
    if "letter" in column:
        return column["letter"] == letter
    named = {word.lower() for word in _WORD.findall(str(column["column"]))}
    return not named.isdisjoint(words)

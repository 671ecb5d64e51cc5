"""What the name of a column says about its values, and about whose rows they are."""

# ruff: noqa: SIM905  lists of words read best as words

from __future__ import annotations

from dataclasses import dataclass

from privet.audits.columns._lexicon import Match, lexicon, tokens

_LONGEST = 200  # characters of a name that is looked at
_PREFIX = 3  # letters of a first word that may stand for the table
# Words beside an entry that change nothing: `patient_age`, `Alter des Patienten`, `date of birth 2`.
_BESIDE = frozenset(
    (
        "a an the of at in on by for my your his her our is current primary secondary main home work own new old full first "
        "second patient patients person persons client customer subject participant respondent member user employee student "
        "case baseline self reported raw data col column field var variable f m "
        "der die das des dem den im am von vom zum zur in patienten patient kunde kunden person "
        "le la les du de des d l un une au paciente pacientes del el los las cliente persona do da dos das o e y et und "
        "paziente di della dello il lo patient patienta van het een klant pacjenta pacjent hasta hastanin hastanın kisi "
        "patientens av och пациента пациент больного المريض المريضه"
    ).split()
)
# Words that turn the name of an identifier into a fact about one: email_verified, phone_count, is_name_known.
_ABOUT = frozenset(
    (
        "is has flag verified valid validated opt optin count counts n total length len type types status consent confirmed "
        "enabled allowed available missing known sent opened click clicks rate score ratio percent pct avg mean min max sum"
    ).split()
)
_GENERAL = frozenset(["user.unique_id", "user.date", "user.content.free_text", "user.location.precise"])
# Their words mean something else inside longer names.
_ALONE = frozenset(
    (
        "user.name user.content.free_text user.location.precise user.contact.address.state user.demographic.body "
        "user.contact.address.country user.contact.url user.image"
    ).split()
)
_UNITS = ("unit.household", "unit.group", "unit.measure", "unit.person")
# Words that say that something is numbered, and hardly ever that it is a person.
_NUMBERED = frozenset("code index key number record obs obsno seq hash token".split())


@dataclass(frozen=True, slots=True)
class Hint:
    """What a name says. `about` is set if it speaks of the thing rather than being it: `email_verified`."""

    category: str
    general: bool  # a rule that fits many things, such as "… number"
    about: bool


def words_of(name: str) -> str:
    """The words of a column's name in small letters: `PatientDOB_2` gives "patient dob 2"."""
    return " ".join(tokens(name))


def hint_of(name: str) -> Hint | None:
    """What the name says, or None. The entry that accounts for most of the name wins, special before general."""
    if len(name) > _LONGEST:
        return None
    words = lexicon().parted(tokens(name))
    found = [
        (match, whole)
        for match in lexicon().matches(words)
        if not match.block.startswith("unit.")
        and _counts(match, words, whole=(whole := _whole(match, words)))
    ]
    if not found:
        return None
    best, whole = max(found, key=lambda pair: (pair[0].block not in _GENERAL, pair[1], pair[0].letters))
    general = best.block in _GENERAL
    return Hint(best.block, general, about=not whole and not general and bool(_ABOUT & set(words)))


def _whole(match: Match, words: list[str]) -> bool:
    """Whether nothing else is in the name, beside numbers and words that say whose."""
    rest = [*words[: match.begin], *words[match.end :]]
    if match.begin > 0 and len(words[0]) <= _PREFIX and words[0] not in lexicon().exact:
        rest = rest[1:]  # what tables put before every name: `per_nombre`
    return all(_is_beside(word) for word in rest)


def _is_beside(word: str) -> bool:
    persons = any(block == "unit.person" for block, _ in lexicon().exact.get(word, ()))
    return persons or word in _BESIDE or word.isdecimal()


def _counts(match: Match, words: list[str], *, whole: bool) -> bool:
    if match.alone or match.block in _ALONE:
        return whole
    if match.block == "user.unique_id":
        # What is numbered stands before the word for a number, or after it: `order no`, `numéro de commande`.
        return match.begin == 0 or match.end == len([word for word in words if not word.isdecimal()])
    return True


# Categories of which a person, or a household, has one.
_WHOSE = (
    "user.name",
    "user.contact.email",
    "user.contact.phone",
    "user.contact.address.street",
    "user.unique_id",
)


@dataclass(frozen=True, slots=True)
class UnitName:
    """What rows of one value would be by the column's name, and how much that counts for a key of persons."""

    kind: str  # "person", "household", "group" or "measure"; "" if the name only says that something is numbered
    points: float


def unit_of(name: str) -> UnitName | None:
    """What the name says about whose rows they are, or None."""
    if len(name) > _LONGEST:
        return None
    words = lexicon().parted(tokens(name))
    matches = list(lexicon().matches(words))
    ids = [one for one in matches if one.block == "user.unique_id" and _counts(one, words, whole=False)]
    numbered = {at for one in ids for at in range(one.begin, one.end)}
    hint = hint_of(name)
    if hint is not None and not hint.general and _is_number(hint.category):
        return UnitName("person", 2.0)
    units = [one for one in matches if one.block in _UNITS and _names_unit(one, words, numbered)]
    best = max(units, key=lambda one: (one.letters, -_UNITS.index(one.block)), default=None)
    if best is not None:
        kind = best.block.removeprefix("unit.")
        return UnitName(kind, 2.0 if kind in ("person", "household") else -2.0)
    if hint is not None and not hint.general and not hint.category.startswith(_WHOSE):
        return UnitName("measure", -2.0)  # also where it is numbered: a postal code, a diagnosis number
    if ids:
        return _number(words, numbered)
    if hint is not None and not hint.category.startswith(_WHOSE):
        return UnitName("measure", -2.0)
    return (
        UnitName("", 1.0) if any(word.endswith(("num", "nr")) and len(word) > 4 for word in words) else None
    )


def _number(words: list[str], numbered: set[int]) -> UnitName:
    """A number of something that the lexicon does not know, or of nothing in particular."""
    alone = all(at in numbered or _is_beside(word) for at, word in enumerate(words))
    if set(words) & _NUMBERED:
        return UnitName("", 1.0)
    return UnitName("person", 2.0) if alone else UnitName("", 1.5)


def _names_unit(match: Match, words: list[str], numbered: set[int]) -> bool:
    """Whether an entry for a unit is the name, up to words for a number and words that say whose.

    For a group or a measurement it is enough to begin or to end the name: `pooled stratum`, `time to event`.
    """
    if match.alone and match.end - match.begin < len(words):
        return False
    if match.block in ("unit.group", "unit.measure") and (match.begin == 0 or match.end == len(words)):
        return True
    rest = [at for at in range(len(words)) if not match.begin <= at < match.end]
    return all(at in numbered or _is_beside(words[at]) for at in rest)


def _is_number(category: str) -> bool:
    """Whether a category holds numbers that stand for one person each."""
    return category.startswith(
        (
            "user.unique_id",
            "user.government_id",
            "user.health_and_medical.record_id",
            "user.health_and_medical.insurance_id",
            "user.payment.account",
        )
    )

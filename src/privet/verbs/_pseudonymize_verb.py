"""Pseudonymize: pseudonyms in the place of values, equal ones for equal values. And the way back.

`Reveal` has a command and a library function and no step: what it makes is personal data again, which no policy releases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from privet.dataset import Declaration, Purpose
from privet.verbs._key_ring_option import KeyPlace, key_ring
from privet.verbs._rewrite import Rewrite, Step, Touched
from privet.verbs._verb import VerbWork, register
from privet.verbs._verb_options import Flag, Options
from privet.verbs._written_values import Names

if TYPE_CHECKING:
    from privet.protect.transform.pseudonyms import KeyRing, Vault

VaultPlace = Annotated[
    str | None, Field(description="The vault's file, for vault and subject."), Flag(file="in")
]
Alphabet = Annotated[
    Literal["digits", "lower", "upper", "alphanumeric"],
    Field(description="For ff1: the characters to exchange."),
]


def domains_in(said: list[str]) -> dict[str, str]:
    """Columns with their domains: a column's own name, unless another is stated."""
    pairs = [text.partition("=") for text in said]
    return {column: domain or column for column, _, domain in pairs}


class _Named(Options):
    """Columns, each with the domain whose pseudonyms it has."""

    column: Annotated[
        Names,
        Field(
            min_length=1,
            description="The column, or COLUMN=DOMAIN where columns of other names are to match.",
        ),
        Flag(example="patient_id"),
    ]

    @field_validator("column")
    @classmethod
    def _each_once(cls, said: list[str]) -> list[str]:
        if not all(domains_in(said)) or len(domains_in(said)) < len(said):
            raise ValueError("could not be read: name each column once")
        return said


class PseudonymizeOptions(_Named):
    """Which columns get pseudonyms, how those are made, and with whose keys."""

    hint: ClassVar[str] = "Add --dataset hospital, the project whose tables share pseudonyms."

    dataset: Annotated[
        str | None,
        Field(description="The project; its tables share pseudonyms, other projects have others."),
        Flag(example="hospital"),
    ] = None
    method: Annotated[
        Literal["hmac", "siv", "ff1", "vault", "subject", "sha256"],
        Field(
            description="hmac: one-way. siv: reversible. ff1: same format. vault: random tokens. subject: sealed under "
            "each subject's own key, which can be destroyed. sha256: refused for what can be guessed."
        ),
    ] = "hmac"
    keys: KeyPlace = None
    vault: VaultPlace = None
    subject: Annotated[str | None, Field(description="For subject: the column that says whose it is.")] = None
    alphabet: Alphabet = "digits"
    fold: Annotated[bool, Field(description="Letter case and outer space do not matter.")] = False

    @model_validator(mode="after")
    def _of_a_project(self) -> Self:
        if self.dataset is None and self.method != "sha256":
            raise ValueError("pseudonyms belong to a project: name it as the dataset")
        return self


@register
class Pseudonymize(Rewrite):
    """Puts pseudonyms in the place of values; equal values get equal ones, in all tables of the project."""

    name: ClassVar[str] = "pseudonymize"
    options: ClassVar[type[Options]] = PseudonymizeOptions

    def touched(self, options: Any) -> Touched:
        """The columns; the subjects' is looked at. All are read as text."""
        changed = tuple(domains_in(options.column))
        beside = () if options.subject is None else (options.subject,)
        return Touched(changed, beside, as_text=(*changed, *beside))

    def gaps(self, options: Any, declaration: Declaration, purpose: Purpose) -> list[tuple[str, str]]:
        """A vault is the way back, and the declaration says how long it is kept."""
        found = super().gaps(options, declaration, purpose)
        if options.vault is not None and options.vault not in declaration.vaults:
            found.append(("vault", "nothing says how long the vault is kept: name it under `vaults`"))
        return found

    def steps(self, work: VerbWork) -> tuple[list[Step], dict[str, Any]]:
        """One for each column; the subjects' comes last, while the others can still see whose row it is."""
        from privet.protect.transform.pseudonyms import hash_unkeyed, pseudonymize

        options: PseudonymizeOptions = work.options
        domains = domains_in(options.column)
        if options.method == "sha256":
            return [(hash_unkeyed, (name,), {}) for name in domains], {}
        ring = key_ring(work)
        how = {
            **options.model_dump(include={"dataset", "method", "subject", "alphabet", "fold"}),
            "keys": ring,
            "vault": _vault(work, ring),
        }
        steps: list[Step] = [
            (pseudonymize, (name,), {**how, "domain": domains[name]})
            for name in sorted(domains, key=lambda name: name == options.subject)
        ]
        return steps, {"key": ring.current.id, "method": options.method}


class RevealOptions(_Named):
    """Which columns hold pseudonyms, how those were made, and with whose keys."""

    dataset: Annotated[
        str, Field(description="The project that they were made for."), Flag(example="hospital")
    ]
    method: Annotated[Literal["siv", "ff1", "vault", "subject"], Field(description="How they were made.")] = (
        "siv"
    )
    keys: KeyPlace = None
    key: Annotated[str | None, Field(description="For ff1: the id of the key that made them.")] = None
    vault: VaultPlace = None
    alphabet: Alphabet = "digits"


class Reveal(Rewrite):
    """Turns reversible pseudonyms back into values."""

    name: ClassVar[str] = "reveal"
    options: ClassVar[type[Options]] = RevealOptions

    def touched(self, options: Any) -> Touched:
        """The columns, read as text."""
        changed = tuple(domains_in(options.column))
        return Touched(changed, as_text=changed)

    def steps(self, work: VerbWork) -> tuple[list[Step], dict[str, Any]]:
        """One for each column."""
        from privet.protect.transform.pseudonyms import reveal

        options: RevealOptions = work.options
        ring = key_ring(work)
        how = {
            **options.model_dump(include={"dataset", "method", "alphabet", "key"}),
            "keys": ring,
            "vault": _vault(work, ring),
        }
        domains = domains_in(options.column)
        return [(reveal, (name,), {**how, "domain": domains[name]}) for name in domains], {}


def _vault(work: VerbWork, ring: KeyRing) -> Vault | None:
    from privet.protect.transform.pseudonyms import Vault

    file = work.beside(work.options.vault)
    return None if file is None else Vault(file, ring)

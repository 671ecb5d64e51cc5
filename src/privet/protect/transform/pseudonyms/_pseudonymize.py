"""`pseudonymize` and `reveal`: pseudonyms for a column of a table, and back."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from privet.engine import ColumnKind
from privet.errors import BadPseudonym, BadTransform, checked
from privet.protect.transform._rewritten_table import Rewritten, by_value, column_of, rewritten
from privet.protect.transform.pseudonyms import _pseudonym_tokens as tokens
from privet.protect.transform.pseudonyms._format_preserving_encryption import format_preserved
from privet.protect.transform.pseudonyms._guessable_hashes import unkeyed
from privet.protect.transform.pseudonyms._key_ring import Key, KeyRing, KeyScope
from privet.protect.transform.pseudonyms._vault import Vault
from privet.source import Table

_KINDS = (ColumnKind.TEXT, ColumnKind.INTEGER, ColumnKind.DATE, ColumnKind.BOOLEAN)


class Method(enum.Enum):
    """How a pseudonym is made."""

    HMAC = "hmac"  # one-way, by key
    SIV = "siv"  # reversible, by key
    FF1 = "ff1"  # reversible, same format
    VAULT = "vault"  # random token; the vault links it
    SUBJECT = "subject"  # sealed under the subject's own key, in the vault


_SAID = {
    Method.HMAC: "one-way pseudonyms (HMAC-SHA256)",
    Method.SIV: "reversible pseudonyms (AES-SIV)",
    Method.FF1: "format-preserving pseudonyms (FF1)",
    Method.VAULT: "random tokens, linked in a vault",
    Method.SUBJECT: "sealed under each subject's own key, kept in a vault",
}


@dataclass(frozen=True, eq=False)
class _Wanted:
    """Everything that was asked for, checked to be complete."""

    method: Method
    scope: KeyScope
    keys: KeyRing
    vault: Vault | None
    subject: str | None
    alphabet: str
    fold: bool

    def vault_or_refuse(self) -> Vault:
        if self.vault is None:
            raise BadTransform(
                f"method {self.method.value} keeps its links in a vault.", "Name one: vault=Vault(…)."
            )
        return self.vault


@checked
def pseudonymize(
    table: Table,
    column: str,
    *,
    keys: KeyRing,
    dataset: str,
    domain: str | None = None,
    method: Method | str = Method.HMAC,
    subject: str | None = None,
    vault: Vault | None = None,
    alphabet: str = "digits",
    fold: bool = False,
) -> Rewritten:
    """A column with a pseudonym in the place of each value; equal values get equal ones, missing stays missing.

    Args:
        table: The table.
        column: Text, whole numbers, dates or truth values.
        keys: The ring whose current key makes the pseudonyms.
        dataset: The project: its tables share pseudonyms, other projects have others.
        domain: What the values name; columns of one domain can be joined. The column's name if left out.
        method: "hmac" (one-way), "siv" (reversible), "ff1" (same format), "vault" (random token) or "subject"
            (sealed under the subject's own key).
        subject: For "subject": the column that says whose value it is; its name is the subjects' domain.
        vault: For "vault" and "subject".
        alphabet: For "ff1": which characters are exchanged; others stay in place.
        fold: Take values that differ in letter case or surrounding space for the same.

    Guarantee:
        Without the key (and the vault), a pseudonym says no more about a value than that equal ones are equal. This
        is pseudonymisation, not anonymity: other columns may still single a person out.
    """
    column_of(table, column, *_KINDS)
    wanted = _wanted(
        method,
        KeyScope(dataset, domain or column),
        keys,
        vault=vault,
        subject=subject,
        alphabet=alphabet,
        fold=fold,
    )
    if wanted.method is Method.SUBJECT:
        relation = _for_subjects(table, column, wanted)
    else:
        relation = by_value(table, column, _maker(wanted), ColumnKind.TEXT)
    done = f"{_SAID[wanted.method]}, key {keys.current.id}, data set {dataset}, domain {wanted.scope.domain}"
    return rewritten(table, relation, {column: done})


@checked
def reveal(
    table: Table,
    column: str,
    *,
    keys: KeyRing,
    dataset: str,
    domain: str | None = None,
    method: Method | str = Method.SIV,
    vault: Vault | None = None,
    alphabet: str = "digits",
    key: str | None = None,
) -> Rewritten:
    """A column of reversible pseudonyms turned back into values, as text. Erased subjects' values are missing.

    Format-preserving pseudonyms do not name their key: `key` is the id of the one that made them (the current one
    if left out), and a wrong one gives wrong values, not an error.
    """
    column_of(table, column, ColumnKind.TEXT)
    wanted = _wanted(
        method, KeyScope(dataset, domain or column), keys, vault=vault, subject=column, alphabet=alphabet
    )
    if wanted.method is Method.HMAC:
        raise BadTransform("one-way pseudonyms cannot be turned back.", "That is what they are for.")
    made_by = _key(keys, key)
    lost = [0]

    def back(values: list[str]) -> list[str | None]:
        found = _revealed(values, wanted, made_by)
        lost[0] = sum(value is None for value in found)
        return found

    relation = by_value(table, column, back, ColumnKind.TEXT)
    return rewritten(table, relation, {column: "turned back from pseudonyms"}, {"values_erased": lost[0]})


def hash_unkeyed(table: Table, column: str) -> Rewritten:
    """A column of SHA-256 digests without a key; refused for everything that can be guessed, with the reason."""
    kind = column_of(table, column)
    relation = by_value(
        table, column, lambda values: unkeyed([str(one) for one in values], kind, column), ColumnKind.TEXT
    )
    return rewritten(table, relation, {column: "SHA-256 without a key"})


def _wanted(
    method: Method | str,
    scope: KeyScope,
    keys: KeyRing,
    *,
    vault: Vault | None,
    subject: str | None,
    alphabet: str,
    fold: bool = False,
) -> _Wanted:
    try:
        chosen = Method(method)
    except ValueError:
        raise BadTransform(
            "there is no such method.", f"Use one of: {', '.join(one.value for one in Method)}."
        ) from None
    wanted = _Wanted(chosen, scope, keys, vault, subject, alphabet, fold)
    if chosen in (Method.VAULT, Method.SUBJECT):
        wanted.vault_or_refuse()
    if chosen is Method.SUBJECT and subject is None:
        raise BadTransform("method subject needs to know whose value it is.", 'Write subject="patient_id".')
    return wanted


def _maker(wanted: _Wanted) -> Callable[[list[Any]], list[str]]:
    """What makes pseudonyms of the distinct values."""
    key, scope = wanted.keys.current, wanted.scope

    def make(values: list[Any]) -> list[str]:
        texts = [tokens.worded(value, fold=wanted.fold) for value in values]
        if wanted.method is Method.HMAC:
            return tokens.one_way(texts, key, scope)
        if wanted.method is Method.SIV:
            return tokens.sealed(texts, key, scope)
        if wanted.method is Method.FF1:
            return format_preserved(texts, key, scope, wanted.alphabet)
        return wanted.vault_or_refuse().tokens(texts, scope)

    return make


def _for_subjects(table: Table, column: str, wanted: _Wanted) -> Any:
    whose = str(wanted.subject)
    column_of(table, whose, *_KINDS)
    people = KeyScope(wanted.scope.dataset, whose)

    def make(*lists: Sequence[Any]) -> list[str]:
        subjects = [tokens.worded(one, fold=wanted.fold) for one in lists[0]]
        values = [tokens.worded(one, fold=wanted.fold) for one in lists[-1]]
        return wanted.vault_or_refuse().sealed_for(subjects, values, people, wanted.scope)

    return by_value(table, column, make, ColumnKind.TEXT, beside=[whose])


def _revealed(values: list[str], wanted: _Wanted, made_by: Key) -> list[str | None]:
    if wanted.method is Method.SIV:
        return [*tokens.opened(values, wanted.keys, wanted.scope)]
    if wanted.method is Method.FF1:
        return [*format_preserved(values, made_by, wanted.scope, wanted.alphabet, back=True)]
    vault = wanted.vault_or_refuse()
    if wanted.method is Method.VAULT:
        return vault.values(values, wanted.scope)
    return vault.opened_for(values, wanted.scope)


def _key(keys: KeyRing, name: str | None) -> Key:
    found = keys.current if name is None else keys.find(name)
    if found is None:
        raise BadPseudonym("there is no key of that id on the ring.", f"There is {', '.join(keys.ids)}.")
    return found

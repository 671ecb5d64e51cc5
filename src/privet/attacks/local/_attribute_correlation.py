"""Correlation of attributes: one answer guessed from the reports about all others."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.local._local_client import LocalClient, client_of, stated_oracle
from privet.attacks.local._local_guesses import PEOPLE, best_columns, guessed
from privet.attacks.local._report_likelihoods import likelihoods
from privet.errors import BadAttack
from privet.guarantee.oracles import Oracle

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

NAME = "attribute-correlation"
_MOST_PROFILES = 2_000
_KNOWING = Adversary(
    "the server, or whoever reads what it stores",
    (
        "the public specifications",
        "how answers go together in the population",
        "which reports are of one person",
    ),
    "the reports",
)


@dataclass(frozen=True)
class _Part:
    """One question with categories: whose reports it is in, and how to read them."""

    name: str
    values: tuple[Any, ...]
    oracle: Oracle
    client: int
    prefix: str
    seed: int

    def said(self, tables: list[Any]) -> NDArray[np.float64]:
        """What each person's report says of each value; nothing where the question was not drawn."""
        table = tables[self.client]
        first = table[self.prefix + next(iter(self.oracle.columns()))]
        answered = np.flatnonzero(~np.asarray(first.is_null().to_numpy(zero_copy_only=False), bool))
        found = np.zeros((len(table), len(self.values)))
        if len(answered):
            inside = {name: table[self.prefix + name].take(answered) for name in self.oracle.columns()}
            found[answered] = likelihoods(self.oracle, inside, np.arange(len(self.values)), self.seed)
        return found


@register(name=NAME, on="client", needs=("members",))
def attribute_correlation(target: Any, case: Case) -> RiskEstimate:
    """Guess one answer of a person from the reports about all their answers, knowing how these go together.

    For a collection of several questions, or a list of collections that the same people report to. `members` are rows of
    people; the adversary knows how often answers occur together in `auxiliary` [default: in the rows themselves].
    `attribute` is the question that is guessed [default: the first with categories]. One report about several
    questions is promised its epsilon however they are correlated; reports to several collections add theirs up.
    """
    from privet.attacks.tables import rows_of

    started = time.process_time()
    things = target if isinstance(target, list | tuple) else [target]
    clients = [client_of(one, f"{case.seed} {number}") for number, one in enumerate(things)]
    parts = [part for number, client in enumerate(clients) for part in _parts(client, number)]
    rows = rows_of(case.members)
    wanted = _wanted(parts, case)
    known = rows if case.auxiliary is None else rows_of(case.auxiliary)
    draw = repeatable_generator(case.seed, NAME)
    people = rows.take(np.sort(draw.permutation(len(rows))[: case.whole("draws", PEOPLE)]))
    profiles, weights = _profiles(known, parts)
    tables = [client.report(_asked(client, people)) for client in clients]
    joint = np.tile(np.log(weights), (len(people), 1))
    for place, part in enumerate(parts):
        joint += part.said(tables)[:, profiles[:, place]]
    own = profiles[:, parts.index(wanted)]
    truth = _codes(people, wanted)
    prior = np.bincount(_codes(known, wanted), minlength=len(wanted.values)) / len(known)
    alone = wanted.said(tables) + np.log(np.maximum(prior, 1e-12))
    ties = draw.random(alone.shape)
    right = best_columns(_summed(joint, own, len(wanted.values)), ties) == truth
    share = float(np.bincount(truth).max() / len(truth))
    promised = [client.together(1, case.promise) for client in clients]
    together = None if any(one is None for one in promised) else float(sum(one or 0.0 for one in promised))
    return guessed(
        NAME,
        right,
        share,
        case,
        measure=f"share of {wanted.name} guessed",
        epsilon=together,
        reports=len(clients),
        started=started,
        adversary=_KNOWING,
        details={"by its own report alone": float((best_columns(alone, ties) == truth).mean())},
    )


def _parts(client: LocalClient, number: int) -> list[_Part]:
    record = client.specification
    if record is None:
        raise BadAttack("correlation needs the client's specification.", "Give a Collection.")
    question, protocol = record["question"], record["protocol"]
    if question["kind"] == "one-of":
        assert client.oracle is not None
        return [_Part(record["name"], tuple(question["values"]), client.oracle, number, "", client.seed)]
    if question["kind"] != "several":
        return []
    share = client.stated.epsilon / protocol["answered"]
    return [
        _Part(
            one["name"],
            tuple(one["values"]),
            stated_oracle(oracle, share, len(one["values"])),
            number,
            f"{place}_",
            client.seed,
        )
        for place, (one, oracle) in enumerate(zip(question["questions"], protocol["oracles"], strict=True))
        if one["kind"] == "one-of"
    ]


def _wanted(parts: list[_Part], case: Case) -> _Part:
    name = case.setting("attribute", None)
    found = [part for part in parts if name is None or part.name == name]
    if len(parts) < 2 or not found:
        raise BadAttack(
            "correlation is of two questions with categories or more, one of which is guessed.",
            "Give a Collection of Several(…), or a list of collections, and attribute=… of them.",
        )
    return found[0]


def _codes(rows: pa.Table, part: _Part) -> NDArray[np.int64]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if part.name not in rows.column_names:
        raise BadAttack(f"the rows have no column {part.name!r}.", "Give one column for each question.")
    try:
        known = pa.array(part.values)
        found = pc.index_in(rows[part.name].cast(known.type), value_set=known)
    except pa.ArrowException:
        found = pa.nulls(len(rows))
    if found.null_count or not len(rows):
        raise BadAttack(
            f"the rows hold values of {part.name!r} that the question does not have.", "Give rows that fit."
        )
    return np.asarray(found.to_numpy(zero_copy_only=False), np.int64)


def _profiles(rows: pa.Table, parts: list[_Part]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Combinations of answers that occur, the most common ones, with their shares."""
    codes = np.column_stack([_codes(rows, part) for part in parts])
    found, counts = np.unique(codes, axis=0, return_counts=True)
    most = np.argsort(-counts, kind="stable")[:_MOST_PROFILES]
    return found[most], counts[most] / counts[most].sum()


def _asked(client: LocalClient, people: pa.Table) -> Any:
    """What the people have of the questions of one client."""
    record = client.specification or {}
    question = record["question"]
    if question["kind"] != "several":
        return people[record["name"]].combine_chunks()
    names = [one["name"] for one in question["questions"]]
    if set(names) - set(people.column_names):
        raise BadAttack("the rows lack a column of a question.", "Give one column for each question.")
    return {name: people[name].combine_chunks() for name in names}


def _summed(joint: NDArray[np.float64], own: NDArray[np.int64], many: int) -> NDArray[np.float64]:
    """The weight of each value of the wanted question over all profiles that have it."""
    weights = np.exp(joint - joint.max(axis=1, keepdims=True))
    found = np.zeros((len(joint), many))
    for value in range(many):
        found[:, value] = weights[:, own == value].sum(axis=1)
    return found

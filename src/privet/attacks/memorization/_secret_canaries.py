"""Canaries for language models: random secrets in a sentence, planted in training texts to be looked for afterwards.

They are made before training (Carlini et al. 2019). Those for one copy are planted or left out by the toss of a coin, each on
its own: who was left out is the never-inserted reference, and the coins are what an audit of epsilon guesses. A canary is
nobody's secret; its record is for the owner because whoever trains must not know it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet.artifact import OwnerOnly, load_record, written_whole
from privet.attacks._seeded_generator import Draw, repeatable_generator
from privet.errors import BadAttack, UnknownRecord, checked

KIND = "language-canaries"
SCHEMA = 1
TEMPLATE = "The code of file {name} is {secret}."
COPIES: Mapping[int, int] = {1: 100, 2: 10, 8: 10, 32: 10}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_NAME, _SECRET = (
    10,
    10,
)  # characters: names differ, and a secret is guessed once in ten thousand million times
_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Canary:
    """One secret: what stands before and after it, and in how many texts it was planted; 0 where the coin left it out."""

    before: str
    secret: str
    after: str
    group: int  # the copies that it was made for
    copies: int

    @property
    def text(self) -> str:
        """What is planted."""
        return self.before + self.secret + self.after

    def __repr__(self) -> str:
        return "<a canary, for the owner alone>"


@dataclass(frozen=True)
class CanaryRecord:
    """Which canaries there are and how often each was planted. For the owner alone."""

    canaries: tuple[Canary, ...]
    template: str
    seed: int

    def references(self, count: int, seed: int = 0) -> list[Canary]:
        """Secrets made in the same way and planted nowhere."""
        draw = repeatable_generator(f"{self.seed} {seed}", "canary references")
        return [_made(self.template, draw, 0) for _ in range(count)]

    def planted(self) -> list[str]:
        """Every text to add to the training texts, as often as it is to stand there."""
        return [one.text for one in self.canaries for _ in range(one.copies)]

    def places(self, texts: int) -> list[int]:
        """An order of so many texts in which canaries, put at the end, stand anywhere."""
        found: list[int] = repeatable_generator(self.seed, "places of canaries").permutation(texts).tolist()
        return found

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version."""
        return {
            "schema": SCHEMA,
            "artifact": KIND,
            "template": self.template,
            "seed": self.seed,
            "canaries": [[one.before, one.secret, one.after, one.group, one.copies] for one in self.canaries],
        }

    @checked
    def save(self, path: str | Path) -> Path:
        """Write it for the owner's eyes, whole or not at all."""
        return written_whole(Path(path), OwnerOnly(json.dumps(self.to_json()) + "\n"))

    @classmethod
    @checked
    def load(cls, path: str | Path) -> CanaryRecord:
        """Read a record; refuses what it does not know."""
        record = load_record(path, "a record of canaries")
        if record.get("schema") != SCHEMA or record.get("artifact") != KIND:
            raise UnknownRecord(
                "this is no record of canaries of a known version.", "Name the file that was made with them."
            )
        try:
            canaries = tuple(
                Canary(str(before), str(secret), str(after), int(group), int(copies))
                for before, secret, after, group, copies in record["canaries"]
            )
            return cls(canaries, _checked_template(record["template"]), int(record["seed"]))
        except (KeyError, TypeError, ValueError):
            raise UnknownRecord("this record of canaries lacks a field.") from None

    def __repr__(self) -> str:
        return f"<{len(self.canaries)} canaries, for the owner alone>"


@checked
def plant_canaries(
    texts: Iterable[str],
    *,
    copies: Mapping[int, int] = COPIES,
    template: str = TEMPLATE,
    record: str | Path | None = None,
    seed: int = 0,
) -> tuple[list[str], CanaryRecord]:
    """Add canaries to texts before training, and keep a record of them for `pv.attack(model, canaries=record)`.

    Args:
        texts: the texts to train on.
        copies: how many canaries are made for each number of copies. Those for one copy are planted by the toss of a coin: about
            half of them are, and the others are the never-inserted references.
        template: the sentence, with {name}, which tells canaries apart, before {secret}.
        record: where to write the record, for the owner's eyes.
        seed: of the canaries. Use another one for every training.

    Each copy is a text of its own: where the unit is a person or a document, make it a unit of its own. Canaries hold nothing
    of anybody, and take nothing from a budget; they take a little of the model's use.
    """
    faults = [one for one, many in copies.items() if not (1 <= one <= 1_000 and 0 <= many <= _MOST)]
    if faults or not copies or not sum(copies.values()):
        raise BadAttack(
            "copies says how many canaries are made for each number of copies.",
            "Give copies={1: 100, 2: 10, 8: 10, 32: 10}.",
        )
    _checked_template(template)
    draw = repeatable_generator(seed, "language canaries")
    made: list[Canary] = []
    for group, many in sorted(copies.items()):
        for _ in range(many):
            canary = _made(template, draw, group)
            planted = group if group > 1 or draw.random() < 0.5 else 0
            made.append(Canary(canary.before, canary.secret, canary.after, group, planted))
    found = CanaryRecord(tuple(made), template, seed)
    if record is not None:
        found.save(record)
    mixed = [*texts, *found.planted()]
    return [mixed[at] for at in found.places(len(mixed))], found


def _made(template: str, draw: Draw, group: int) -> Canary:
    name = "".join(_LETTERS[at] for at in draw.integers(0, len(_LETTERS), _NAME).tolist())
    secret = "".join(_DIGITS[at] for at in draw.integers(0, len(_DIGITS), _SECRET).tolist())
    before, _, after = template.replace("{name}", name).partition("{secret}")
    return Canary(before, secret, after, group, group)


def _checked_template(template: Any) -> str:
    good = isinstance(template, str) and template.count("{name}") == template.count("{secret}") == 1
    if not good or template.index("{name}") > template.index("{secret}"):
        raise BadAttack("a template has {name}, and after it {secret}.", f"Write {TEMPLATE!r}.")
    return str(template)

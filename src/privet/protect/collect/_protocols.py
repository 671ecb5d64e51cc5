"""How a question is answered: by one oracle, by one of several questions at random, or by a part of a text.

A protocol joins a question to oracles: which columns one report has, how values become reports, and what of it the
specification states. All protocols of a promise of epsilon spend exactly epsilon on one report.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from privet.errors import BadCollection
from privet.guarantee.exact_amounts import whole
from privet.guarantee.oracles import (
    CountMeanSketch,
    FastLocalHashing,
    Oracle,
    WindowResponse,
    fragment_marks,
    oracle_class,
    pool,
    text_checks,
    text_marks,
)
from privet.mechanism import (
    Columns,
    WordStream,
    draw_below,
    pooled_hash,
    respond,
    respond_number,
    sketched_bits,
    uniform_sets,
)
from privet.protect.collect._oracle_choice import KINDS, chosen
from privet.protect.collect._questions import NumberIn, OneOf, Question, Several, TextOf

Shape = dict[str, tuple[str, int]]
# As many prefixes of the first length as are counted at once.
_FIRST_PREFIXES = 50_000


class Protocol(ABC):
    """One protocol."""

    @abstractmethod
    def columns(self) -> Shape:
        """What a report holds: columns with kind and bound."""

    @abstractmethod
    def reports(self, coded: Any, stream: WordStream, seed: int) -> Columns:
        """The reports of coded values."""

    @abstractmethod
    def stated(self) -> dict[str, Any]:
        """Its part of the specification."""


@dataclass(frozen=True)
class Single(Protocol):
    """One question, one oracle."""

    oracle: Oracle

    def columns(self) -> Shape:
        """Those of the oracle."""
        return self.oracle.columns()

    def reports(self, coded: Any, stream: WordStream, seed: int) -> Columns:
        """Those of the oracle."""
        if isinstance(self.oracle, WindowResponse):
            return respond_number(self.oracle, coded, stream)
        return respond(self.oracle, coded, stream, seed)

    def stated(self) -> dict[str, Any]:
        """The oracle."""
        return self.oracle.stated()


@dataclass(frozen=True)
class Sampled(Protocol):
    """`answered` of several questions, drawn at random, each with epsilon / answered (Wang et al., ICDE 2019, section 4)."""

    oracles: Mapping[str, Oracle]
    answered: int
    kind: ClassVar[str] = "sampled"

    def columns(self) -> Shape:
        """The columns of every question, after its number; those that were not drawn are empty."""
        return {
            f"{number}_{name}": kind
            for number, oracle in enumerate(self.oracles.values())
            for name, kind in oracle.columns().items()
        }

    def reports(self, coded: Any, stream: WordStream, seed: int) -> Columns:
        """Which questions are answered is drawn before their values are looked at."""
        count = len(next(iter(coded.values())))
        drawn = uniform_sets(count, len(self.oracles), self.answered, stream)
        found: Columns = {}
        for number, (name, oracle) in enumerate(self.oracles.items()):
            rows = np.flatnonzero((drawn == number).any(axis=1))
            part = Single(oracle).reports(coded[name][rows], stream, seed)
            found |= {f"{number}_{column}": (rows, values) for column, values in part.items()}
        return found

    def stated(self) -> dict[str, Any]:
        """How many are answered, and each question's oracle."""
        return {
            "kind": self.kind,
            "answered": self.answered,
            "oracles": [oracle.stated() for oracle in self.oracles.values()],
        }


@dataclass(frozen=True)
class PrefixExtension(Protocol):
    """Each device reports one prefix of its text, of a length drawn at random (PEM; Wang, Li and Jha 2021)."""

    question: TextOf
    oracle: FastLocalHashing
    first: int
    step: int
    kind: ClassVar[str] = "pem"

    @property
    def prefix_lengths(self) -> tuple[int, ...]:
        """The lengths of prefixes."""
        longest = self.question.length
        return (*range(self.first, longest, self.step), longest)

    def columns(self) -> Shape:
        """The number of the length, and the report about the prefix."""
        return {"group": ("uint32", len(self.prefix_lengths)), **self.oracle.columns()}

    def reports(self, coded: Any, stream: WordStream, seed: int) -> Columns:
        """A length, then the prefix of that length."""
        groups = draw_below(stream, len(coded), len(self.prefix_lengths))
        words = np.zeros(len(coded), np.uint64)
        for number, length in enumerate(self.prefix_lengths):
            rows = np.flatnonzero(groups == number)
            words[rows] = self.words(coded[rows], length, seed)
        return {"group": groups, **pooled_hash(self.oracle, words, stream, pool(seed, self.oracle.pool))}

    def words(self, codes: Any, length: int, seed: int) -> Any:
        """The words that prefixes are hashed as."""
        return text_marks(codes[:, :length], seed)

    def stated(self) -> dict[str, Any]:
        """The lengths and the oracle."""
        return {"kind": self.kind, "first": self.first, "step": self.step, "oracle": self.oracle.stated()}


@dataclass(frozen=True)
class FragmentPuzzle(Protocol):
    """Each device reports one fragment with a check of the whole text, and the text (SFP; Apple 2017): epsilon / 2 each."""

    question: TextOf
    oracle: CountMeanSketch
    fragment: int
    kind: ClassVar[str] = "sfp"

    @property
    def starts(self) -> tuple[int, ...]:
        """Where fragments begin."""
        return tuple(range(0, self.question.length, self.fragment))

    def columns(self) -> Shape:
        """Which fragment, the sketch report about it, and the one about the text."""
        inside = self.oracle.columns()
        return {
            "group": ("uint32", len(self.starts)),
            **inside,
            **{f"word_{name}": kind for name, kind in inside.items()},
        }

    def reports(self, coded: Any, stream: WordStream, seed: int) -> Columns:
        """A fragment of the text with the text's check, and the text."""
        groups = draw_below(stream, len(coded), len(self.starts))
        whole_words = self.words(coded, seed)
        pieces = np.zeros(len(coded), np.uint64)
        for number, start in enumerate(self.starts):
            rows = np.flatnonzero(groups == number)
            inside = coded[rows, start : start + self.fragment]
            pieces[rows] = self.pieces(self.checks(whole_words[rows]), inside, number, seed)
        seeds = pool(seed, self.oracle.rows)
        about = sketched_bits(self.oracle, pieces, stream, seeds)
        text = sketched_bits(self.oracle, whole_words, stream, seeds)
        return {"group": groups, **about, **{f"word_{name}": values for name, values in text.items()}}

    def words(self, codes: Any, seed: int) -> Any:
        """The words that whole texts are hashed as."""
        return text_marks(codes, seed)

    def checks(self, words: Any) -> Any:
        """The 8-bit check of a text, which joins its fragments."""
        return text_checks(words)

    def pieces(self, checks: Any, codes: Any, number: int, seed: int) -> Any:
        """The words that fragments with their checks are hashed as; each place has functions of its own."""
        return fragment_marks(checks, codes, number, seed)

    def stated(self) -> dict[str, Any]:
        """The fragment's length and the sketch."""
        return {"kind": self.kind, "fragment": self.fragment, "oracle": self.oracle.stated()}


def protocol_for(question: Question, epsilon: Fraction, kind: str, settings: Mapping[str, Any]) -> Protocol:
    """The protocol of a question at this epsilon, with the settings stated."""
    if isinstance(question, OneOf | NumberIn):
        return Single(chosen(question, epsilon, kind, settings))
    fitting = KINDS.get(type(question), ())
    if kind not in ("auto", *fitting):
        raise BadCollection(
            "this oracle does not fit the question.", f"Those that fit: auto, {', '.join(fitting)}."
        )
    if isinstance(question, Several):
        return _sampled(question, epsilon, settings)
    assert isinstance(question, TextOf)
    return (
        _fragments(question, epsilon, settings) if kind == "sfp" else _prefixes(question, epsilon, settings)
    )


def _sampled(question: Several, epsilon: Fraction, settings: Mapping[str, Any]) -> Sampled:
    _only(settings, {"answered"})
    usual = max(1, min(len(question.questions), int(epsilon / Fraction(5, 2))))
    answered = whole(settings.get("answered", usual), "answered")
    if answered > len(question.questions):
        raise BadCollection("more questions are answered than there are.", "Leave answered out.")
    share = epsilon / answered
    return Sampled(
        {name: chosen(one, share, "auto", {}) for name, one in question.questions.items()}, answered
    )


def _prefixes(question: TextOf, epsilon: Fraction, settings: Mapping[str, Any]) -> PrefixExtension:
    _only(settings, {"first", "step", "pool", "range"})
    letters, first = len(question.alphabet) + 1, 1
    while first < question.length and letters ** (first + 1) <= _FIRST_PREFIXES:
        first += 1
    inside = {name: settings[name] for name in ("pool", "range") if name in settings}
    # The values that a prefix could have are not numbered; the size is not used.
    oracle = oracle_class("flh").made(epsilon, 2, inside)
    assert isinstance(oracle, FastLocalHashing)
    found = PrefixExtension(
        question, oracle, whole(settings.get("first", first), "first"), whole(settings.get("step", 1), "step")
    )
    if found.first > question.length:
        raise BadCollection("the first prefix is longer than the text.", "Leave first out.")
    return found


def _fragments(question: TextOf, epsilon: Fraction, settings: Mapping[str, Any]) -> FragmentPuzzle:
    _only(settings, {"fragment", "rows", "width"})
    fragment = whole(settings.get("fragment", min(2, question.length)), "fragment")
    if question.length % fragment:
        raise BadCollection(
            "fragments do not fill the text.", "Choose a length that is a multiple of the fragment's."
        )
    inside = {name: settings[name] for name in ("rows", "width") if name in settings}
    oracle = oracle_class("cms").made(epsilon / 2, 2, inside)
    assert isinstance(oracle, CountMeanSketch)
    return FragmentPuzzle(question, oracle, fragment)


def _only(settings: Mapping[str, Any], known: set[str]) -> None:
    if set(settings) - known:
        raise BadCollection(
            "a setting is not known for this question.", f"Known: {', '.join(sorted(known))}."
        )

"""The run: private samples vote, noise is added, what got most votes breeds; every round is stored before it is used.

A generator is handed synthetic samples alone. What is stored of a round is what the rest of the run sees, so a run that is
killed and asked for again goes on with the rounds that were stored, pays nothing more, and draws noise for no round twice.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Receipt
from privet.errors import BadSynthesis, PrivetError
from privet.ledger import Ledger, Permit
from privet.mechanism import Draws, discrete_gaussian, fresh_generator
from privet.protect._exactly_once import Unfinished
from privet.protect.synthesize.evolution._evolution_plan import EvolutionPlan
from privet.protect.synthesize.evolution._nearest_votes import (
    STEP,
    label_votes,
    nearest,
    sealed_votes,
    shares_of,
)
from privet.protect.synthesize.evolution._private_samples import PrivateSamples
from privet.protect.synthesize.evolution._round_record import (
    Population,
    Round,
    packed_counts,
    packed_round,
    unpacked_counts,
    unpacked_round,
)
from privet.protect.synthesize.evolution._sample_generator import (
    Points,
    Sample,
    SampleEmbedder,
    SampleGenerator,
    exactly,
    form_of,
    points_of,
)
from privet.protect.synthesize.evolution._vote_selection import apportioned, drawn, ranked

Say = Callable[[str], None]
_PIECE = 256


@dataclass(frozen=True, eq=False, repr=False)
class Evolution:
    """Everything that a run needs."""

    plan: EvolutionPlan
    generator: SampleGenerator
    embedder: SampleEmbedder
    private: PrivateSamples
    points: Points  # where the private samples lie
    failed: bool  # whether private samples could not be embedded: for the owner's log alone
    form: tuple[int, ...] | None  # of a picture; None for texts
    most: int
    say: Say

    def drawn(self, permit: Permit, ledger: Ledger) -> bytes:
        """All rounds; gives the record of the last, from which twins are made."""
        receipt, question = permit.receipt, self.plan.question()
        if self.failed:
            with contextlib.suppress(PrivetError):
                ledger.incident(receipt, "embedding", "embedding private samples, of which some lie nowhere")
        permits = iter(_flat(permit))
        part = 0
        shares = np.asarray(self.plan.shares or (), dtype=np.float64)
        if self.plan.buys_shares:
            shares = self._bought_shares(next(permits), ledger, part)
            part += 1
        settings, draws = self.plan.settings, fresh_generator()
        population = None
        for at in range(settings.rounds):
            self.say(f"round {at + 1} of {settings.rounds}")
            leave = next(permits)
            stored = _stored_part(ledger, question, part + at)
            if stored is None:
                with _public_work():
                    candidates = self._candidates(population, shares, at)
                    places = [self._places(part_, label, at) for part_, label in self._classes(candidates)]
                    self._refuse_lost(places)
                    # What cannot be stored must show before noise is drawn for it.
                    packed_round(Round(candidates, np.zeros(0, np.int64)), self.generator)
                made = packed_round(self._voted(candidates, places, leave), self.generator)
                stored = ledger.remember(receipt, question, made, part=part + at)
            with _public_work():
                done = unpacked_round(stored[1], self.generator)
            population = self._selected(done, shares, draws)
        assert population is not None
        record = {"population": [[self.generator.packed(one) for one in part] for part in population]}
        return json.dumps(record | {"shares": shares.tolist()}, ensure_ascii=False).encode()

    def _bought_shares(self, permit: Permit, ledger: Ledger, part: int) -> NDArray[np.float64]:
        question, labels = self.plan.question(), self.plan.labels or ()
        stored = _stored_part(ledger, question, part)
        if stored is None:
            exact = label_votes(
                self.private.labels,
                self.private.owners,
                classes=len(labels),
                most=self.most,
                change=self.plan.unit.change,
            )
            noisy = packed_counts(discrete_gaussian(exact, permit)).encode()
            stored = ledger.remember(permit.receipt, question, noisy, part=part)
        return shares_of(unpacked_counts(stored[1]))

    def _sizes(self, shares: NDArray[np.float64]) -> NDArray[np.int64]:
        return apportioned(max(self.plan.settings.population, len(shares)), shares)

    def _classes(self, population: Population) -> list[tuple[list[Sample], str | None]]:
        return list(zip(population, self.plan.labels or (None,), strict=True))

    def _candidates(self, population: Population | None, shares: NDArray[np.float64], at: int) -> Population:
        """Who is voted about: in the first round new samples, afterwards those that live and variations of them."""
        settings = self.plan.settings
        each = settings.variations + settings.keep
        if population is None:
            sizes = self._sizes(shares)
            labels: Sequence[str | None] = self.plan.labels or (None,)
            return [
                exactly(int(size) * each, self.generator.random(int(size) * each, label))
                for size, label in zip(sizes, labels, strict=True)
            ]
        degree = settings.degree(at - 1)
        return [
            [
                *(part if settings.keep else []),
                *(
                    sample
                    for _ in range(settings.variations)
                    for sample in exactly(len(part), self.generator.variation(part, label, degree))
                ),
            ]
            for part, label in self._classes(population)
        ]

    def _places(self, candidates: list[Sample], label: str | None, at: int) -> Points:
        """Where candidates lie; with lookahead, where variations of them do on average."""
        settings = self.plan.settings
        shown = [self.generator.shown(one) for one in candidates]
        if form_of(shown) != self.form:
            raise BadSynthesis("the generator makes samples of another shape than at first.", "Keep to one.")
        if settings.lookahead == 0:
            return points_of(self.embedder, shown)
        total: Points | None = None
        for _ in range(settings.lookahead):
            varied = exactly(
                len(candidates), self.generator.variation(candidates, label, settings.degree(at))
            )
            found = points_of(self.embedder, [self.generator.shown(one) for one in varied])
            total = found if total is None else total + found
        assert total is not None
        return np.asarray(total / np.float32(settings.lookahead), dtype=np.float32)

    def _refuse_lost(self, places: Sequence[Points]) -> None:
        """Refuse a round in which nobody could vote, before noise is drawn for it."""
        if {here.shape[1] for here in places} != {self.points.shape[1]}:
            raise BadSynthesis("the embedder gives rows of another length than at first.", "Keep to one.")
        if not any(np.isfinite(here).all(axis=1).any() for here in places):
            raise BadSynthesis(
                "the embedder gives numbers that are not finite for every candidate.",
                "Try it by itself on what the generator makes.",
            )

    def _voted(self, candidates: Population, places: Sequence[Points], permit: Permit) -> Round:
        """The noisy votes of all classes: one histogram, in which everybody has votes of length one."""
        votes = self.plan.settings.votes
        choices = np.full((len(self.points), votes), -1, dtype=np.int64)
        first = 0
        for label, here in enumerate(places):
            mine = np.flatnonzero(self.private.labels == label)
            found = nearest(self.points[mine], here, votes)
            choices[mine] = np.where(found >= 0, found + first, -1)
            first += len(here)
        exact = sealed_votes(
            choices,
            self.private.owners,
            candidates=first,
            most=min(self.most * votes, first),
            change=self.plan.unit.change,
        )
        return Round(candidates, discrete_gaussian(exact, permit))

    def _selected(self, done: Round, shares: NDArray[np.float64], draws: Draws) -> Population:
        """Those that live: in each class as many as its share says, by their noisy votes."""
        settings = self.plan.settings
        threshold = settings.threshold
        if threshold is None:
            threshold = float(self.plan.sigma) if settings.selection == "draw" else 0.0
        lives: Population = []
        for part, votes, size in zip(done.candidates, done.by_class(), self._sizes(shares), strict=True):
            counts = votes / STEP
            chosen = (
                drawn(counts, int(size), threshold, draws)
                if settings.selection == "draw"
                else ranked(counts, int(size))
            )
            lives.append([part[at] for at in chosen])
        return lives


def embedded_privately(
    embedder: SampleEmbedder, private: PrivateSamples, dimensions: int
) -> tuple[Points, bool]:
    """Where private samples lie, and whether some could not be embedded: those lie nowhere, and nothing is raised for them.

    One by one where a batch would show in the last bits: what a sample votes for must not depend on who else is there. For
    the same reason a piece that fails is embedded again in halves: a sample that cannot be embedded takes no other with it.
    """
    points = np.full((len(private.samples), dimensions), np.nan, dtype=np.float32)
    size = _PIECE if embedder.alone else 1
    parts = [slice(start, min(start + size, len(points))) for start in range(0, len(points), size)]
    failed = False
    while parts:
        part = parts.pop()
        many = part.stop - part.start
        try:
            points[part] = points_of(embedder, private.samples[part])
        except Exception:  # noqa: BLE001  whatever it was, telling it could tell of a sample
            if many == 1:
                failed = True
            else:
                middle = part.start + many // 2
                parts += [slice(part.start, middle), slice(middle, part.stop)]
    return points, failed


def _stored_part(ledger: Ledger, question: str, part: int) -> tuple[Receipt, bytes] | None:
    """What is stored of a draw. A ledger that is out of reach, or was tampered with, stops the run and loses nothing of it."""
    with _public_work():
        return ledger.recall(question, part=part)


def _flat(permit: Permit) -> Iterator[Permit]:
    """The permits of single draws, in order."""
    for part in permit.parts():
        if part.event.kind == "repeated":
            yield from part.parts()
        else:
            yield part


@contextlib.contextmanager
def _public_work() -> Iterator[None]:
    """Work that no private value bears on: generators and embedders at synthetic samples, and what is stored."""
    try:
        yield
    except Exception as problem:
        raise Unfinished from problem

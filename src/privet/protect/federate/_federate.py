"""A study over several tables in one process, by the protocol that sites on machines of their own would speak."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from privet.artifact import Receipt, ReleasedAnswer
from privet.errors import BadStudy, InternalError, PrivetError, RoundFailed, checked
from privet.evidence import SeedSigner
from privet.guarantee import Number
from privet.ledger import Ledger
from privet.mechanism import fresh_bytes
from privet.protect.federate._adversaries import Exposure
from privet.protect.federate._site import SiteRows
from privet.protect.federate._study import Study
from privet.protect.federate._study_plan import StudyPlan, plan_study, seen_noise, whole_steps
from privet.protect.query import answered
from privet.sharing import (
    Cohort,
    Contribution,
    CoordinatorSession,
    OpenedSum,
    SiteSession,
    Stage,
    centred,
)
from privet.source import Table

SEED_BYTES = 32
LARGEST_NUMBER = 2**63


@dataclass(frozen=True)
class FederatedAnswer:
    """What came of a study: the answer, who was in it, what each site booked, and what it tells whom."""

    answer: ReleasedAnswer
    survivors: tuple[int, ...]
    receipts: tuple[Receipt | None, ...]
    refusals: Mapping[int, str]  # codes of the errors by which sites left the round
    exposures: tuple[Exposure, ...]

    def __str__(self) -> str:
        who = ", ".join(str(site) for site in self.survivors)
        return "\n".join(
            [str(self.answer), f"Sites in the sum: {who}.", *(str(one) for one in self.exposures)]
        )


@checked
def federate(
    study: Study,
    tables: Sequence[Table],
    *,
    ledgers: Sequence[Ledger],
    ledger: Ledger,
    why: str,
    number: int = 1,
    delta: Number = "1e-6",
    lost: Mapping[int, str] | None = None,
) -> FederatedAnswer:
    """Answer a study over the tables of several sites, none of which shows a row or a count of its own.

    Args:
        study: What is asked, on which terms.
        tables: One for each site, as its owner opened it.
        ledgers: Each site's own, in zero-concentrated accounting. It is charged before the site answers.
        ledger: The coordinator's, which books what the study releases.
        why: The reason, for all ledgers.
        number: Of the round. A round is booked once; take another number to ask again.
        delta: At which `exposures` are stated; nothing is promised with it.
        lost: For trying out what happens when a site disappears: its number, and the stage at which its message no longer comes
            (`advertise`, `share`, `mask`, `confirm` or `reveal`).

    Guarantee:
        For each site's rows the answer, and all that the coordinator and up to `study.colluders` other sites see, satisfies
        `study.promise`: the sum is masked (`privet.sharing`), and holds at least `study.honest` shares of noise they do not know.
    Assumes:
        What `privet.sharing` assumes of keys that were exchanged beforehand; here all sites are made in one process, which therefore sees
        everything: this is for simulation, and for one owner of several tables.
    """
    if not len(tables) == len(ledgers) == study.sites:
        raise BadStudy(
            f"the study is for {study.sites} sites, and {len(tables)} tables with {len(ledgers)} ledgers were given.",
            "Give one table and one ledger for each site.",
        )
    sites = [SiteRows(table, own, why) for table, own in zip(tables, ledgers, strict=True)]
    for site in sites:
        site.plan(study)
    plan = plan_study(study, study.schema)
    gone = {site: _stage(stage) for site, stage in (lost or {}).items()}
    if not 0 <= number < LARGEST_NUMBER:
        raise BadStudy("the number of a round is a whole number from 0 on.", "Count rounds from 1.")
    round_ = SimulatedRound(study, plan, number, sites)
    opened, receipt = round_.run(gone, lambda: _booked(study, plan, number, ledger, why))
    return FederatedAnswer(
        _read(study, plan, opened, receipt),
        opened.survivors,
        tuple(round_.receipts.get(site) for site in range(study.sites)),
        round_.refusals,
        study.exposures(delta),
    )


def _stage(name: object) -> Stage:
    stages = {stage.name.lower(): stage for stage in Stage if stage is not Stage.OPENED}
    if not isinstance(name, str) or name not in stages:
        raise BadStudy("a site is lost at a stage of the round.", f"Name one of {', '.join(stages)}.")
    return stages[name]


def _booked(study: Study, plan: StudyPlan, number: int, ledger: Ledger, why: str) -> Receipt:
    """What the coordinator books before a sum is opened."""
    return ledger.charge(
        plan.event,
        why=why,
        unit=study.unit,
        promise=study.promise,
        data=study.digest,
        question=f"sum of study {study.digest} round {number}",
    ).receipt


class SimulatedRound:
    """A coordinator and its sites in one process, message by message."""

    def __init__(self, study: Study, plan: StudyPlan, number: int, sites: Sequence[SiteRows]) -> None:
        identities = [SeedSigner(fresh_bytes(SEED_BYTES)) for _ in range(study.sites + 1)]
        cohort = Cohort(
            study.digest,
            identities[0].public,
            tuple(one.public for one in identities[1:]),
            study.threshold,
            plan.length,
            study.colluders,
        )
        self.coordinator = CoordinatorSession(cohort, number, identities[0])
        self.sessions = [SiteSession(cohort, number, one, fresh_bytes) for one in identities[1:]]
        self.receipts: dict[int, Receipt] = {}
        self.refusals: dict[int, str] = {}
        self._study, self._number, self._sites = study, number, sites
        self._requests: dict[int, bytes] = {}

    def run(self, gone: Mapping[int, Stage], book: Callable[[], Receipt]) -> tuple[OpenedSum, Receipt]:
        """Go through all stages; the coordinator books when all is there to open the sum, and not before."""
        receipt = None
        while self.coordinator.stage is not Stage.OPENED:
            stage = self.coordinator.stage
            invited = list(range(len(self._sites))) if stage is Stage.ADVERTISE else list(self._requests)
            for site in invited:
                if gone.get(site, Stage.OPENED) > stage:
                    self._exchange(site, stage)
            if stage is Stage.REVEAL and len(self.coordinator.answered) >= self._study.threshold:
                receipt = book()
            self._requests = self._proceeded()
        if self.coordinator.opened is None or receipt is None:
            raise InternalError("a round ended without a sum.")
        return self.coordinator.opened, receipt

    def _proceeded(self) -> dict[int, bytes]:
        """The next requests; a round that fails says by which errors sites have left it."""
        try:
            return self.coordinator.proceed()
        except RoundFailed as failed:
            if not self.refusals:
                raise
            left = ", ".join(f"site {site} by {code}" for site, code in sorted(self.refusals.items()))
            raise RoundFailed(f"{failed.fact} Sites have left: {left}.", failed.hint) from None

    def _exchange(self, site: int, stage: Stage) -> None:
        """One site's message of this stage; a site that refuses is lost, and the others may be enough."""
        try:
            self.coordinator.accept(self._reply(site, stage))
        except PrivetError as refusal:
            self.refusals[site] = refusal.code

    def _reply(self, site: int, stage: Stage) -> bytes:
        session = self.sessions[site]
        if stage is Stage.ADVERTISE:
            return session.advertise()
        request = self._requests[site]
        if stage is Stage.MASK:
            return session.mask(request, lambda: self._contribution(site))
        answer = {Stage.SHARE: session.share, Stage.CONFIRM: session.confirm, Stage.REVEAL: session.reveal}
        return answer[stage](request)

    def _contribution(self, site: int) -> Contribution:
        summand, self.receipts[site] = self._sites[site].contribution(self._study, self._number)
        return summand


def _read(study: Study, plan: StudyPlan, opened: OpenedSum, receipt: Receipt) -> ReleasedAnswer:
    """The answer read off the opened sum, as that of any release."""
    total, survivors = centred(opened.words), len(opened.survivors)
    version = f"{survivors} of {study.sites} sites"
    parts = []
    for number, one in enumerate(plan.plans):
        own = [vector for vector in plan.vectors if vector.plan == number]
        seen = replace(one, noise={vector.name: seen_noise(vector, survivors) for vector in own})
        noisy = {vector.name: whole_steps(total, vector) for vector in own}
        parts.append(
            answered(
                seen,
                dict(plan.keys[number]),
                noisy,
                receipt,
                version,
                place=number + 1,
                together=len(plan.plans),
            )
        )
    answer: ReleasedAnswer = plan.batch.answers(parts)[0]
    note = f"The sum over {survivors} of {study.sites} sites, each of which added a share of the noise; nobody saw the answer of one site."
    return replace(answer, notes=(*answer.notes, note))

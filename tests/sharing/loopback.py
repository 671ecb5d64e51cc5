"""Whole rounds of a secure sum in one process, with sites that are lost where a test says."""

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from privet.evidence import SeedSigner
from privet.sharing import Cohort, Contribution, CoordinatorSession, OpenedSum, SiteSession, Stage

STUDY = hashlib.sha256(b"study").hexdigest()


def signers(count: int) -> tuple[SeedSigner, list[SeedSigner]]:
    made = [SeedSigner(hashlib.sha256(b"identity %d" % number).digest()) for number in range(count + 1)]
    return made[0], made[1:]


def cohort_of(count: int, threshold: int, length: int = 4, **terms: int) -> Cohort:
    coordinator, sites = signers(count)
    stated = {"colluders": 0, "width": 64} | terms
    return Cohort(
        STUDY, coordinator.public, tuple(site.public for site in sites), threshold, length, **stated
    )


@dataclass
class Round:
    """A coordinator and its sites; `lost` says at which stage a site's message no longer comes."""

    cohort: Cohort
    values: np.ndarray
    number: int = 1
    lost: Mapping[int, Stage] = field(default_factory=dict)
    fresh: Callable[[int], bytes] = os.urandom

    def __post_init__(self) -> None:
        coordinator, sites = signers(len(self.cohort.sites))
        self.coordinator = CoordinatorSession(self.cohort, self.number, coordinator)
        self.sites = [SiteSession(self.cohort, self.number, site, self.fresh) for site in sites]
        self.requests: dict[int, bytes] = {}
        self.sent: dict[Stage, dict[int, bytes]] = {}

    def there(self, site: int) -> bool:
        return site not in self.lost or self.coordinator.stage < self.lost[site]

    def answer(self, site: int) -> bytes:
        session, stage = self.sites[site], self.coordinator.stage
        if stage is Stage.ADVERTISE:
            return session.advertise()
        request = self.requests[site]
        if stage is Stage.MASK:
            return session.mask(request, lambda: Contribution(self.values[site], self.cohort.width))
        return {Stage.SHARE: session.share, Stage.CONFIRM: session.confirm, Stage.REVEAL: session.reveal}[
            stage
        ](request)

    def step(self) -> None:
        stage = self.coordinator.stage
        invited = range(len(self.sites)) if stage is Stage.ADVERTISE else self.requests
        self.sent[stage] = {site: self.answer(site) for site in invited if self.there(site)}
        for message in self.sent[stage].values():
            self.coordinator.accept(message)
        self.requests = self.coordinator.proceed()

    def until(self, stage: Stage) -> "Round":
        while self.coordinator.stage < stage:
            self.step()
        return self

    def run(self) -> OpenedSum:
        self.until(Stage.OPENED)
        assert self.coordinator.opened is not None
        return self.coordinator.opened

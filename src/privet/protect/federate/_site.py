"""What a site does in a round: book, compute, add its share of noise, and hand it over to be masked."""

from __future__ import annotations

from dataclasses import dataclass

from privet.artifact import Receipt
from privet.errors import StudyRefused
from privet.ledger import Ledger
from privet.mechanism import noise_share
from privet.protect._admission import admitted
from privet.protect._engine_incidents import computed
from privet.protect.federate._study import Study
from privet.protect.federate._study_plan import StudyPlan, bound_to, in_order, plan_study
from privet.protect.query import computation_of, read_files
from privet.sharing import Contribution, joined_contributions
from privet.source import Table


@dataclass(frozen=True)
class SiteRows:
    """A site's table with its own ledger, and the reason its owner gives for taking part."""

    table: Table
    ledger: Ledger
    why: str

    def plan(self, study: Study) -> StudyPlan:
        """The study's plan for this table; refuses whatever can be refused, and reads no private row."""
        admitted([bound_to(study, self.table)], "answer", ledger=self.ledger)
        return plan_study(study, self.table)

    def contribution(self, study: Study, number: int) -> tuple[Contribution, Receipt]:
        """What this site adds in a round, booked before a row is counted.

        Guarantee:
            The study's promise for this site's rows against everybody else, up to `study.colluders` other sites among them, as long
            as it is only ever seen in a sum over at least `study.threshold` sites (`privet.sharing`). A round is booked once, and a
            site that has booked it never answers in it again.
        Assumes:
            Other honest sites add shares of noise of the same size. Ranges and keys of the study were chosen without data.
        """
        plan = self.plan(study)
        read_files(plan.plans)
        prepared = [computation_of(one) for one in plan.plans]
        question = f"federated study {study.digest} round {number}"
        if self.ledger.paid(question) is not None:
            raise StudyRefused(
                f"this site has booked round {number} of this study before.",
                "A round is never entered twice: take another number.",
            )
        permit = self.ledger.charge(
            plan.event,
            why=self.why,
            unit=study.unit,
            promise=study.promise,
            purpose=admitted([bound_to(study, self.table)], "answer", ledger=self.ledger),
            data=self.table.fingerprint,
            question=question,
        )
        groups = [computed(compute, self.ledger, permit.receipt) for compute in prepared]
        permits = permit.parts() if len(plan.vectors) > 1 else (permit,)
        sealed = in_order(plan, [one.answers for one in groups])
        shares = [noise_share(answer, part) for answer, part in zip(sealed, permits, strict=True)]
        return joined_contributions(shares), permit.receipt

"""Many questions, one secret: a session keeps one secret world, and what its releases have told of it.

A second release of the same secret is calibrated to the posterior that the first one left: where little is uncertain any more,
little varies, and the nats that are booked are the nats that are told (Zhu et al. 2026). With a fresh secret for each release
nats add up as well; one secret has the answers speak of the same people.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from privet.artifact import IN_MEMORY, ReleasedOutput
from privet.errors import SessionProblem, checked
from privet.guarantee import Number, PacPrivacy, unit_to_json
from privet.ledger import Ledger, Permit
from privet.mechanism import SecretWorld, fresh_bytes
from privet.protect._admission import admitted
from privet.protect._exactly_once import Booking, Draw, released
from privet.protect.pac._pac_explanation import PacExplanation, explained_plan
from privet.protect.pac._pac_options import WORLDS
from privet.protect.pac._pac_release import MAKES, drawn, plan_worlds, spend_of
from privet.protect.pac._session_file import (
    PendingDraw,
    SessionState,
    digest,
    read_state,
    sole_user,
    write_state,
)
from privet.protect.pac._session_history import SessionHistory
from privet.protect.pac._world_plan import Progress, WorldPlan
from privet.source import AppliedFunction, BlackBox, Query, ReadyMade, Table

ENDING = ".pac-session"
Function = Callable[[Any], Any] | BlackBox | ReadyMade | AppliedFunction | Query


class PacSession:
    """Releases of functions of one table, all of one secret half of its people.

    Args:
        table: The rows, with a unit and public bounds.
        worlds: How many worlds the secret is drawn from: an even number.
        ledger: Where every release is booked, in nats.
        path: A file for the secret, readable by its owner alone. By default it lies beside the ledger's own file; a session of a
            ledger in memory is kept in memory too. Opening it again goes on with the same secret.
        why: The reason of every release that gives none of its own.
        purpose: The purpose that the table was given out for.
        analyst: Who asks.

    Guarantee:
        All releases together carry at most the sum of their nats about the secret world, also where each is chosen after
        the answers before. A file that was put back, copied or altered since the last release is refused.
    Assumes:
        As `release` does; and the file is nobody else's.
    """

    @checked
    def __init__(
        self,
        table: Table,
        worlds: int = WORLDS,
        *,
        ledger: Ledger,
        path: str | Path | None = None,
        why: str = "an answer of a PAC session",
        purpose: str | None = None,
        analyst: str | None = None,
    ) -> None:
        self._table, self._ledger, self._why, self._analyst = table, ledger, why, analyst
        self._purpose = admitted([table], MAKES, ledger=ledger, purpose=purpose)
        self._path = _place(ledger) if path is None else Path(path)
        self._open, self._turn, self._closed = contextlib.ExitStack(), threading.RLock(), False
        self._answering = False
        self._open.enter_context(sole_user(self._path))
        try:
            self._state = self._begun(worlds)
        except BaseException:
            self._open.close()
            raise

    def _begun(self, worlds: int) -> SessionState:
        """The state of an earlier session in this place, or that of a new one."""
        terms = {
            "ledger": self._ledger.id,
            "data": self._table.fingerprint,
            "unit": unit_to_json(self._table.unit_or_refuse()),
            "worlds": worlds,
        }
        found = None if self._path is None else read_state(self._path)
        if found is None:
            secret = SecretWorld.fresh(worlds)
            state = SessionState({**terms, "name": fresh_bytes(16).hex()}, secret)
        else:
            differing = [name for name, value in terms.items() if found.terms.get(name) != value]
            if differing or found.secret.worlds != worlds:
                words = {"worlds": "number of worlds", "data": "state of the data"}
                raise SessionProblem(
                    "this session was begun with another "
                    f"{' and another '.join(words.get(name, name) for name in differing) or 'number of worlds'}.",
                    "Open it as it was begun, or give the path of a new one.",
                )
            state = found
        self._history = SessionHistory(self._ledger, str(state.terms.get("name")))
        return self._settled(state)

    def _settled(self, state: SessionState) -> SessionState:
        """The state once it is known, and entered, whether a pending draw left; written down."""
        after = state.settled(self._ledger)
        if state.pending is not None and after.answered > state.answered:
            self._history.enter(after, state.pending.release)
        else:
            self._history.refuse_other(after)
        write_state(self._path, after)
        return after

    @property
    def worlds(self) -> int:
        """How many worlds there are."""
        return self._state.secret.worlds

    @property
    def answered(self) -> int:
        """How many releases of this secret have left."""
        return self._state.answered

    @checked
    def release(
        self,
        function: Function,
        promise: PacPrivacy | Number,
        columns: Sequence[str] | None = None,
        *,
        why: str | None = None,
        again: bool = False,
        basis: Any = None,
        processes: int | None = None,
        progress: Progress | None = None,
    ) -> ReleasedOutput:
        """The function's output on the session's secret half; one that was released in it before is shown again, free.

        With `again` it is booked and drawn anew. Threads take turns.
        """
        plan = self._plan(function, promise, columns, basis, processes)
        with self._alone():
            return self._released(plan, why or self._why, again=again, progress=progress)

    def _released(
        self, plan: WorldPlan, why: str, *, again: bool, progress: Progress | None
    ) -> ReleasedOutput:
        within = self._state.terms["name"] + (f" again {self._state.answered}" if again else "")
        question = plan.question(within)

        def drawing() -> Draw:
            self._state = self._settled(self._state)
            plan.refuse_unreadable()
            return lambda permit: self._drawn(plan, permit, question, progress)

        booking = Booking(self._ledger, why, self._purpose, self._analyst)
        release = released(booking, question, spend=spend_of(plan), prepared=drawing)
        if self._state.pending is not None:
            self._state = self._settled(self._state)
        self._history.refuse_unentered(digest(release))
        return ReleasedOutput.from_json(json.loads(release))

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """One release at a time: one that begins inside another would be calibrated to what was known before that one."""
        with self._turn:
            if self._answering:
                raise SessionProblem(
                    "this session is in the middle of a release.",
                    "A function asks nothing of its own session.",
                )
            if self._closed:
                raise SessionProblem("this session was closed.", "Open it again: pv.PacSession(…).")
            self._answering = True
            try:
                yield
            finally:
                self._answering = False
                self._let_go()

    @checked
    def explain(
        self,
        function: Function,
        promise: PacPrivacy | Number,
        columns: Sequence[str] | None = None,
        *,
        basis: Any = None,
        processes: int | None = None,
    ) -> PacExplanation:
        """What `release` would run and promise; reads no private row and spends nothing."""
        return explained_plan(self._plan(function, promise, columns, basis, processes), self._ledger)

    def _plan(
        self,
        function: Function,
        promise: PacPrivacy | Number,
        columns: Sequence[str] | None,
        basis: Any,
        processes: int | None,
    ) -> WorldPlan:
        stated = promise if isinstance(promise, PacPrivacy) else PacPrivacy(promise)
        thing: AppliedFunction | Query
        if isinstance(function, AppliedFunction | Query):
            if function.table is not self._table:
                raise SessionProblem(
                    "the function is applied to another table than the session's.",
                    "Apply it to the session's.",
                )
            thing = function
        else:
            thing = self._table.apply(function, columns)
        return plan_worlds(thing, stated, worlds=self.worlds, basis=basis, processes=processes)

    def _drawn(self, plan: WorldPlan, permit: Permit, question: str, progress: Progress | None) -> bytes:
        """Draw, and write down what was drawn before anybody can see it."""
        release, after = drawn(plan, self._state.secret, permit, self._ledger, progress)
        self._state = replace(self._state, pending=PendingDraw(question, digest(release), after))
        write_state(self._path, self._state)
        return release

    def close(self) -> None:
        """Let go of the file once a release that goes on is over; the session can be opened again."""
        with self._turn:
            self._closed = True
            self._let_go()

    def _let_go(self) -> None:
        if self._closed and not self._answering:
            self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<PAC session of {self.worlds} worlds, {self.answered} answered>"


def _place(ledger: Ledger) -> Path | None:
    """Beside the ledger's own file; None for a ledger in memory."""
    if ledger.id.startswith(IN_MEMORY):
        return None
    if "://" in ledger.place:
        raise SessionProblem(
            "a session of a ledger in a database needs a file for its secret.", 'Give path="answers.session".'
        )
    return Path(f"{ledger.place}{ENDING}")

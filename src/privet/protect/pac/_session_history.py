"""What the ledger knows of a session: after each release a digest of its state and of the answer that left.

A session's file can be put back from a copy, be copied to another place or be altered. Its posterior is then not what the
answers have told, and noise that is calibrated to it hides too little. So each release is entered as an anchor, first come,
first served: a state that is not the newest one entered draws nothing, and an answer that was not entered does not leave. A
secret is one session's: under another name it would begin with a posterior that knows of nothing. Digests
give nothing away: the state holds a seed of 128 random bits.
"""

from __future__ import annotations

from privet.errors import SessionProblem
from privet.ledger import SESSION, Ledger
from privet.protect.pac._session_file import SessionState

_WHY = "a release of a PAC session"


class SessionHistory:
    """The anchors of one session, read once and then as far as the ledger has grown."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        self._ledger, self._name, self._seen = ledger, name, 0
        self._states: list[str] = []
        self._answers: set[str] = set()
        self._users: dict[str, str] = {}  # of each secret the session that entered it first

    def refuse_other(self, state: SessionState) -> None:
        """Refuse a state that is not the one after the newest release: nothing may be drawn from it."""
        self._read()
        last = self._states[-1] if self._states else None
        known = state.commitment() if state.answered else None
        fits = len(self._states) == state.answered and last == known and (state.answered or state.untold)
        if not fits or self._users.get(state.secret_digest(), self._name) != self._name:
            raise SessionProblem(
                "the file of this session is not as its last release left it: it was put back, copied or altered.",
                "Restore the newest file, or give the path of a new session: what was released stays as it is.",
            )

    def enter(self, after: SessionState, answer: str) -> None:
        """Enter the state after a release, unless it is entered; refuses where another release came first."""
        self._read()
        if len(self._states) < after.answered:
            said = {"session": self._name, "release": str(after.answered), "answer": answer}
            said["secret"] = after.secret_digest()
            self._ledger.anchor(SESSION, after.commitment(), why=_WHY, said=said)
        self.refuse_other(after)

    def refuse_unentered(self, answer: str) -> None:
        """Refuse to show an answer that was stored and lost the race: the posterior does not know of it."""
        if answer not in self._answers:
            raise SessionProblem(
                "this answer was drawn from a state of the session that was not its newest, and is not shown.",
                "Open the session once and at one place, and ask with again=True.",
            )

    def _read(self) -> None:
        for one in self._ledger.anchors(SESSION, after=self._seen):
            self._seen = one.entry
            if "secret" in one.said:
                self._users.setdefault(one.said["secret"], one.said.get("session", ""))
            # Of several for one release the first counts: the others lost the race.
            if one.said.get("session") == self._name and one.said.get("release") == str(
                len(self._states) + 1
            ):
                self._states.append(one.digest)
                self._answers.add(one.said.get("answer", ""))

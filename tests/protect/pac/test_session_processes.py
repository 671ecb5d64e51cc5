"""Two processes and one session: each question is paid once, the secret is drawn once, and a killed one leaves nothing behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.protect.pac.session_process import COLUMNS, opened

import privet as pv
from privet.errors import SessionProblem
from privet.ledger import SESSION, Ledger

SCRIPT = Path(__file__).with_name("session_process.py")


@pytest.fixture
def folder(tmp_path):
    draw = np.random.default_rng(3)
    rows = [f"p{at},{draw.integers(0, 100)},{draw.gamma(2, 500):.2f}" for at in range(120)]
    (tmp_path / "people.csv").write_text("\n".join(["who,age,cost", *rows]) + "\n")
    Ledger(tmp_path / "one.ledger", limit=pv.PacPrivacy(4)).close()
    return tmp_path


def process(folder: Path, moment: str, *promises: str) -> subprocess.Popen[str]:
    words = [sys.executable, str(SCRIPT), str(folder), moment, *promises]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def said(child: subprocess.Popen[str]) -> dict:
    out, problem = child.communicate(timeout=120)
    assert child.returncode == 0, problem
    return json.loads(out)


def test_two_at_once_pay_each_question_once_and_see_the_same(folder) -> None:
    promises = ["1/64", "1/32", "1/16"]
    both = [
        said(child) for child in [process(folder, "never", *order) for order in (promises, promises[::-1])]
    ]
    assert both[0]["numbers"] == both[1]["numbers"][::-1]  # the very same answers
    with Ledger(folder / "one.ledger") as ledger:
        assert ledger.balance().spends == 3
        assert float(ledger.balance().spent["nats"]) == pytest.approx(7 / 64)
        assert [one.said["release"] for one in ledger.anchors(SESSION)] == ["1", "2", "3"]
        ledger.verify()


def test_one_killed_at_any_moment_is_gone_on_with_by_the_next(folder) -> None:
    """No lock stays, no secret is drawn anew, no question is paid twice; another waits for the living and not for the dead."""
    with Ledger(folder / "one.ledger") as ledger:
        with opened(folder, ledger) as session:
            session.release(pv.PacFunction.means(), "1/64", COLUMNS)
            secret = session._state.secret
            refused = process(folder, "never", "1/128")
            with pytest.raises(SessionProblem, match="in use"):
                opened(folder, ledger)
        assert said(refused)["numbers"]  # it waited, or came late
        for spends, (moment, promise) in enumerate(
            [("computing", "1/32"), ("drawn", "1/16"), ("stored", "1/8")], start=3
        ):
            child = process(folder, moment, promise)
            child.communicate(timeout=120)
            assert child.returncode == -signal.SIGKILL, moment
            assert ledger.balance().spends == spends  # booked before it died
            with opened(folder, ledger) as session:
                assert session._state.secret._index == secret._index
                assert session._state.secret.seed == secret.seed
                session.release(pv.PacFunction.covariance(), promise, COLUMNS)
                assert session.answered == spends
            assert ledger.balance().spends == spends
        ledger.verify()

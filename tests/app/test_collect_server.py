"""The collector, over real HTTP on loopback: keys, limits, replays, counts; what was acknowledged survives kill -9."""

import contextlib
import http.client
import json
import signal
import socket
import subprocess
import threading
import time
import uuid

import pytest
from tests.app.doors import PRIVET, inside, surroundings

import privet as pv
from privet.app._collect_server import CONNECTIONS, Allowance, Desk, collector, server
from privet.engine import _report_store as storing
from privet.engine import report_store

pytest.importorskip("fastapi", reason="the collector is an extra")
pytest.importorskip("uvicorn", reason="the collector is an extra")
EMOJI = pv.Collection("emoji", pv.OneOf(["a", "b", "c"]), pv.LocalDP(2), "grr")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Running:
    def __init__(self, folder, *more: str) -> None:
        self.folder = folder
        EMOJI.save(folder / "spec.json")
        for _ in range(5):  # another program may take a port between its choice and its use
            said = self._started(folder, *more)
            if b"is taken" not in said:
                break
        assert said == b""
        self.key = (folder / "collector.key").read_text().strip()

    def _started(self, folder, *more: str) -> bytes:
        """What it complained of if it ended instead of listening."""
        self.port = free_port()
        self.process = subprocess.Popen(
            [*PRIVET, "collect", "serve", str(folder / "spec.json"), "--store", str(folder / "reports.db"),
             "--key", str(folder / "collector.key"), "--port", str(self.port), *more],
            env=surroundings(None), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        until = time.monotonic() + 300
        while self.process.poll() is None:
            with contextlib.suppress(OSError):
                if self.ask("GET", "/specification")[0] == 200:
                    return b""
            assert time.monotonic() < until
            time.sleep(0.1)
        return b"".join(self.process.communicate()) or b"it ended"

    def ask(self, method, path, body=None, key=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def send(self, body):
        return self.ask("POST", "/reports", body, self.key)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        out, err = self.process.communicate(timeout=120)
        return self.process.returncode, out, err


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    found = Running(tmp_path_factory.mktemp("collector"), "--rate", "1000")
    yield found
    if found.process.poll() is None:
        found.stop(signal.SIGKILL)


def test_a_program_is_told_where_in_one_document(tmp_path) -> None:
    """As soon as it listens, and nothing else on that stream."""
    found = Running(tmp_path, "--json")
    lines = iter(found.process.stdout.readline, b"}\n")  # ends while it runs
    said = json.loads(b"".join([*lines, b"}"]))
    _, out, err = found.stop()
    assert said["address"] == f"http://127.0.0.1:{found.port}/reports"
    assert (said["collection"], said["fingerprint"]) == ("emoji", EMOJI.fingerprint)
    assert (said["key"], said["store"]) == (str(tmp_path / "collector.key"), str(tmp_path / "reports.db"))
    assert (out, err) == (b"", b"")


def test_a_port_that_is_taken_is_refused(running, tmp_path) -> None:
    EMOJI.save(tmp_path / "spec.json")
    said = inside(
        "collect",
        "serve",
        "spec.json",
        "--store",
        "r.db",
        "--port",
        str(running.port),
        "--json",
        cwd=tmp_path,
    )
    assert said.code != 0
    assert "is taken" in said.json()["error"]["message"]


def batch(many):
    lines = EMOJI.lines(EMOJI.randomize(["a"] * many))
    return [{"id": uuid.uuid4().hex, "report": json.loads(line)} for line in lines]


def body(reports):
    return "\n".join(json.dumps(one) for one in reports).encode()


def test_a_batch_is_stored_once_however_often_it_is_sent(running) -> None:
    reports = batch(20)
    assert running.send(body(reports)) == (
        200,
        {"accepted": 20, "duplicate": 0, "conflict": 0, "refused": {}},
    )
    assert running.send(body(reports))[1]["duplicate"] == 20
    changed = {
        **reports[0],
        "report": {**reports[0]["report"], "value": (reports[0]["report"]["value"] + 1) % 3},
    }
    assert running.send(body([changed]))[1]["conflict"] == 1
    stored = list(report_store(str(running.folder / "reports.db")).lines())
    assert len(stored) >= 20


def test_malformed_reports_are_refused_with_a_code_and_counted(running) -> None:
    before = running.ask("GET", "/counts", key=running.key)[1].get("malformed", 0)
    status, said = running.send(b"nonsense\n" + body(batch(1)))
    assert (status, said["accepted"], said["refused"]) == (200, 1, {"malformed": 1})
    assert running.ask("GET", "/counts", key=running.key)[1]["malformed"] == before + 1


@pytest.mark.parametrize("key", [None, "", "0" * 64])
def test_without_the_key_nothing_is_taken(running, key) -> None:
    assert running.ask("POST", "/reports", body(batch(1)), key) == (401, {"refused": "key"})
    assert running.ask("GET", "/counts", key=key)[0] == 401


def test_what_is_too_large_is_refused(running) -> None:
    assert running.send(b"\n" * 10_001) == (413, {"refused": "reports"})
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it hung up before all of it was sent
        assert running.send(b"x" * (9 << 20)) == (413, {"refused": "size"})


def test_the_specification_is_public_and_comes_back(running) -> None:
    assert pv.Collection.from_json(running.ask("GET", "/specification")[1]) == EMOJI
    assert running.ask("GET", "/docs")[0] == 404


def test_it_stops_when_told_and_says_nothing_about_senders(tmp_path) -> None:
    found = Running(tmp_path)
    found.send(body(batch(3)))
    code, out, err = found.stop()
    assert code in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
    assert b"127.0.0.1:" not in out
    assert b"POST" not in out + err
    assert found.key.encode() not in out + err


def test_what_was_acknowledged_survives_kill_9(tmp_path) -> None:
    found = Running(tmp_path, "--rate", "1000")
    known = []
    for _ in range(8):
        reports = batch(25)
        assert found.send(body(reports))[0] == 200
        known += [one["id"] for one in reports]
    found.stop(signal.SIGKILL)
    import sqlite3

    held = {row[0] for row in sqlite3.connect(tmp_path / "reports.db").execute("SELECT id FROM reports")}
    assert set(known) <= held
    again = Running(tmp_path)
    assert again.ask("GET", "/counts", key=again.key)[1]["accepted"] == 200
    again.stop()


def test_senders_who_dribble_hold_nobody_up(tmp_path) -> None:
    """As many as there are connections, with half a header, half a body or nothing: all are hung up on, and then one is heard."""
    app = collector(EMOJI, report_store(str(tmp_path / "reports.db")), "k" * 64, rate=1000)
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    door.listen()
    port = door.getsockname()[1]
    running = server(app, port, patience=1.5)
    thread = threading.Thread(target=running.run, args=([door],), daemon=True)
    thread.start()
    until = time.monotonic() + 300
    while not running.started:
        assert time.monotonic() < until
        time.sleep(0.05)
    starts = (
        b"",
        b"POST /reports HTTP/1.1\r\nHost: x\r\nX-Slow: ",
        b"POST /reports HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
        + b"k" * 64
        + b"\r\nContent-Length: 99\r\n\r\n{",
    )
    slow = []
    for at in range(CONNECTIONS):
        slow.append(socket.create_connection(("127.0.0.1", port), timeout=60))
        with contextlib.suppress(ConnectionError):  # on a machine that stood still, it was hung up on already
            slow[-1].sendall(starts[at % len(starts)])
    for one in slow:
        with contextlib.suppress(ConnectionError):
            while one.recv(1000):
                pass
        one.close()
    batches = [batch(2), batch(2)]
    for _ in range(10):  # who cannot run for the patience above is hung up on as well, and sends again
        with contextlib.suppress(ConnectionError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            for one in batches:  # on one connection, whose clock starts anew
                connection.request("POST", "/reports", body(one), {"Authorization": "Bearer " + "k" * 64})
                answer = connection.getresponse()
                said = json.loads(answer.read())
                assert (answer.status, said["accepted"] + said["duplicate"]) == (200, 2)
            break
    running.should_exit = True
    thread.join(timeout=60)
    assert len(list(report_store(str(tmp_path / "reports.db")).lines())) == 4


def test_two_collectors_on_one_store_take_each_report_once(tmp_path, monkeypatch) -> None:
    """The same batches at the same time by both doors, in other orders: nothing is lost, and nothing is there twice."""
    monkeypatch.setattr(storing, "_PATIENCE", 120.0)  # a slow disk is no fault
    store = str(tmp_path / "reports.db")
    desks = [Desk(EMOJI, report_store(store), "k", Allowance(1000), 1 << 20) for _ in range(2)]
    batches = [batch(20) for _ in range(6)]
    found: list[dict] = []

    def send(desk: Desk, order: int) -> None:
        for one in batches[::order]:
            found.append(desk.taken(body(one[::order])))

    threads = [threading.Thread(target=send, args=pair) for pair in zip(desks, (1, -1), strict=True)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(timeout=120)
    assert sum(one["accepted"] for one in found) == 120
    assert sum(one["duplicate"] for one in found) == 120
    assert len(list(report_store(store).lines())) == 120


def test_an_allowance_refills_with_time() -> None:
    now = [0.0]
    allowance = Allowance(0.1, clock=lambda: now[0])
    assert allowance.taken()
    assert not allowance.taken()
    now[0] = 10.0
    assert allowance.taken()
    assert not allowance.taken()

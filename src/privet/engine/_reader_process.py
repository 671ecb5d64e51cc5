"""Files of other people are tried in a process that has no keys, no ledger and no network, before they are opened here.

    reader.check("parquet", path, None)      # refuses what is beyond a limit or brings the parser down
    reader.rows(path, "stays")               # the rows of an SQLite table, which this process does not parse at all

One such process is started with the first file (`_reader_server`) and forks for each. What it gives up is asked of the
system by `_process_isolation`. Where the system offers nothing of it, the same checks are done in this process,
and `reader_status` says so. `PRIVET_READER=required` refuses files there, and `PRIVET_READER=off` always works in this process.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet.engine import _file_check as file_check
from privet.engine import _process_isolation as isolation
from privet.engine import _sqlite_files as sqlite_files
from privet.engine._reader_limits import ReaderLimits, exceeded, in_force
from privet.engine._reader_server import READY
from privet.errors import (
    BadColumnNames,
    BadSpeed,
    EngineFailed,
    EngineVersion,
    MalformedSource,
    NotIsolated,
    PrivetError,
    SourceMissing,
    SourceTooLarge,
    SourceUnreachable,
)

VARIABLE = "PRIVET_READER"
_AUTO, _REQUIRED, _OFF = "auto", "required", "off"
# What reading a file can be refused for.
_RELAYED: dict[str, type[PrivetError]] = {
    kind.__name__: kind
    for kind in (
        BadColumnNames,
        EngineFailed,
        EngineVersion,
        MalformedSource,
        SourceMissing,
        SourceTooLarge,
        SourceUnreachable,
    )
}
_MOST_SAID = 1 << 20
_BYTES_A_SECOND = 1 << 20  # that copying rows takes at the slowest
_PATIENCE = 60  # seconds for it to start
_START = "import json, sys; sys.path[:] = json.loads(sys.argv.pop()); import runpy; runpy.run_module({!r}, run_name='__main__')"


@dataclass
class _Server:
    process: subprocess.Popen[bytes]
    channel: socket.socket
    ready: bool = False


_servers: dict[int, _Server] = {}
_asking = threading.RLock()


def check(kind: str, path: Path, inner: str | None) -> None:
    """Refuse a file that is beyond a limit, or whose opening ends in a crash or not at all."""
    limits = in_force()
    limits.within("file_bytes", path.stat().st_size)
    if (
        kind == "sqlite"
    ):  # nothing else is parsed of it beforehand: `tables` and `rows` are asked of the process itself
        return
    if not _used():
        file_check.check(kind, path, inner, limits)
        return
    _asked({"task": "check", "kind": kind, "path": os.path.realpath(path), "inner": inner}, limits)


def tables(path: Path) -> dict[str, str]:
    """The tables and views of an SQLite file; see `_sqlite_files.tables`."""
    limits = in_force()
    if not _used():
        return sqlite_files.tables(path, limits)
    made, _ = _asked({"task": "tables", "path": os.path.realpath(path)}, limits)
    if not isinstance(made, dict):
        raise _damaged()
    return {str(name): str(kind) for name, kind in made.items()}


def rows(path: Path, table: str) -> Any:
    """The rows of a table of an SQLite file, as an Arrow table; see `_sqlite_files.copied`."""
    limits = in_force()
    if not _used():
        return sqlite_files.copied(path, table, limits)
    import pyarrow as pa

    extra = path.stat().st_size // _BYTES_A_SECOND
    _, sent = _asked({"task": "rows", "path": os.path.realpath(path), "inner": table}, limits, extra)
    try:
        with pa.ipc.open_stream(pa.py_buffer(sent)) as stream:
            found = stream.read_all()
        found.validate(full=True)
    except (pa.ArrowException, OSError, ValueError):
        raise _damaged() from None
    return found


def start() -> None:
    """Start the process, so that it is ready when the first file is to be read."""
    if _used():
        with _asking, contextlib.suppress(OSError):
            _server()


def reader_status() -> dict[str, Any]:
    """How files are read here, for people and programs: which rights the process that tries them gives up."""
    offered = isolation.offered()
    used = _wanted() != _OFF and offered.complete
    return {
        "isolated": used,
        "landlock": offered.landlock,
        "seccomp": offered.seccomp,
        "what": (
            "files are tried, and SQLite files read, in a process without keys, ledger, network and other files"
            if used
            else "files are read in this process, by an engine that may open the named file alone"
        ),
        "limits": in_force().record(),
    }


def _wanted() -> str:
    said = os.environ.get(VARIABLE, "").strip() or _AUTO
    if said not in (_AUTO, _REQUIRED, _OFF):
        raise BadSpeed(
            f"{VARIABLE} in the environment cannot be understood.",
            f"Write {VARIABLE}={_AUTO}, {_REQUIRED} or {_OFF}.",
        )
    return said


def _used() -> bool:
    wanted = _wanted()
    complete = wanted != _OFF and isolation.offered().complete
    if wanted == _REQUIRED and not complete:
        raise NotIsolated(
            "this system offers no process without rights (Landlock and seccomp), and one is required.",
            f"Read the file on Linux 5.13 or newer, or set {VARIABLE}={_AUTO}.",
        )
    return complete


def _asked(task: dict[str, Any], limits: ReaderLimits, extra: int = 0) -> tuple[Any, bytes]:
    """Have a task done; what it made, and the bytes that came with it."""
    seconds = limits.seconds + extra
    words = json.dumps({"inner": None, **task, "limits": limits.record(), "seconds": seconds}).encode()
    with _asking:
        try:
            code, said, sent = _conversation(words, seconds + 5)
        except OSError:
            _stopped()
            raise _damaged() from None
    if code in (-signal.SIGALRM, -signal.SIGXCPU, -signal.SIGKILL):
        raise exceeded("seconds", seconds, seconds)
    try:
        answer = json.loads(said) if code == 0 else None
    except (ValueError, RecursionError):
        answer = None
    if isinstance(answer, dict) and "made" in answer:
        return answer["made"], sent
    raise _relayed(answer.get("error")) if isinstance(answer, dict) else _damaged()


def _conversation(words: bytes, seconds: int) -> tuple[int, bytes, bytes]:
    """Hand the task over with a pipe for the answer: how the task ended, the first line, and what followed."""
    server = _server()
    _await_ready(server)
    mine, theirs = os.pipe()
    try:
        try:
            socket.send_fds(server.channel, [words], [theirs])
        finally:
            os.close(theirs)
        said = _read(mine, time.monotonic() + seconds)
    finally:
        os.close(mine)
    if said is None:
        _stopped()
        return -signal.SIGKILL, b"", b""
    code = server.channel.recv(16)
    if not code.strip():
        raise ConnectionResetError
    line, _, rest = said.partition(b"\n")
    return int(code), line[:_MOST_SAID], rest


def _read(pipe: int, until: float) -> bytes | None:
    """All that is written into the pipe, or None if it is not closed in time."""
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([pipe], [], [], max(until - time.monotonic(), 0))
        if not ready:
            return None
        part = os.read(pipe, 1 << 20)
        if not part:
            return b"".join(parts)
        parts.append(part)


def _relayed(error: Any) -> PrivetError:
    """The refusal that was made there. It comes from a process that read the file, and is not believed beyond its form."""
    try:
        name, fact, hint, details = error
        kind = _RELAYED.get(name)
        if kind is not None:
            made: PrivetError = kind(
                str(fact)[:2000], str(hint)[:2000], **{str(key): details[key] for key in details}
            )
            return made
    except (TypeError, ValueError):
        pass
    return _damaged()


def _damaged() -> PrivetError:
    return MalformedSource(
        "the file cannot be opened: the reader broke off in the process that tries files first.",
        "It is damaged, or made to break readers: make it again.",
    )


def _server() -> _Server:
    found = _servers.get(os.getpid())
    if found is not None and found.process.poll() is None:
        return found
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(  # noqa: S603  this very program
            [
                *(sys.executable, "-I", "-c", _START.format("privet.engine._reader_server")),
                *(str(theirs.fileno()), json.dumps([str(Path(one).absolute()) for one in sys.path])),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"},
            cwd="/",
            pass_fds=(theirs.fileno(),),
        )
    _servers[os.getpid()] = found = _Server(process, ours)
    return found


def _await_ready(server: _Server) -> None:
    if server.ready:
        return
    ready, _, _ = select.select([server.channel], [], [], _PATIENCE)
    server.ready = bool(ready) and server.channel.recv(len(READY)) == READY
    if not server.ready:
        _stopped()
        raise NotIsolated(
            "the process without rights that files are tried in does not start.",
            f"Set {VARIABLE}={_OFF} to read files in this process.",
        )


def _stopped() -> None:
    server = _servers.pop(os.getpid(), None)
    if server is not None:
        server.channel.close()
        server.process.kill()
        server.process.wait()


def _in_child() -> None:
    """A forked child starts a process of its own."""
    global _asking  # noqa: PLW0603  another thread of the parent may have held it
    _asking = threading.RLock()


atexit.register(_stopped)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)

"""The process without rights: it waits for the name of a file, and gives each file to a copy of itself that reads that file alone.

It is started with an empty environment and no files of its parent's, loads the parsers, and gives up sockets, programs and
other processes. For each task it forks; the copy gives up every file but the one it is to read, takes limits on time,
memory and what it may write, does the task, writes the answer into the pipe that came with the task, and ends. So a
file can harm neither the parent nor the next file.

An answer is one line of JSON, then the bytes of an Arrow stream if rows were asked for.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from privet.engine import _file_check as file_check
from privet.engine import _process_isolation as isolation
from privet.engine import _sqlite_files as sqlite_files
from privet.engine._reader_limits import ReaderLimits
from privet.errors import PrivetError

READY = b"ready\n"
_MOST_ASKED = 1 << 16
_LOGS = ("", ".wal", "-wal", "-shm", "-journal")  # of DuckDB and SQLite, beside the file itself


def serve(channel: socket.socket) -> None:
    """Do tasks until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    offered = isolation.offered()
    engine = _loaded()
    if offered.seccomp:
        isolation.give_up_calls()
    os.write(channel.fileno(), READY)
    while True:
        asked, pipes, _, _ = socket.recv_fds(channel, _MOST_ASKED, 1)
        if not asked or not pipes:
            return
        child = os.fork()
        if not child:
            channel.close()
            _answer(json.loads(asked), pipes[0], offered, engine)
        os.close(pipes[0])
        _, status = os.waitpid(child, 0)
        os.write(channel.fileno(), f"{os.waitstatus_to_exitcode(status)}\n".encode())


class _WithoutPandas:
    """Arrow looks for pandas at its first array, and would take half a second to find it."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ImportError(name)


def _loaded() -> Any:
    """Load all that a task needs, for nothing can be loaded once files are given up; the engine that copies will use."""
    import urllib.parse  # noqa: F401

    sys.meta_path.insert(0, _WithoutPandas())
    import pyarrow as pa
    import pyarrow.compute
    import pyarrow.parquet

    pa.array(["2026-11-01"], pa.string()).cast(pa.date32())  # loads what it needs at its first use
    engine = file_check.fresh_engine()
    engine.execute("SELECT 1 AS a").to_arrow_reader(10).read_all()
    return engine


def _answer(task: dict[str, Any], pipe: int, offered: isolation.Isolation, engine: Any) -> None:
    """Do one task in a process of its own, and end it."""
    code = 1
    try:
        limits = ReaderLimits(**task["limits"])
        path = Path(task["path"])
        _limited(limits, task["seconds"])
        if offered.landlock:
            beside = [path.with_name(path.name + ending) for ending in _LOGS]
            isolation.give_up_files([one for one in beside if one.exists()], offered.landlock)
        _written(pipe, *_done(task, path, limits, engine))
        code = 0
    finally:
        os._exit(code)


def _done(task: dict[str, Any], path: Path, limits: ReaderLimits, engine: Any) -> tuple[dict[str, Any], Any]:
    try:
        if task["task"] == "tables":
            return {"made": sqlite_files.tables(path, limits)}, None
        if task["task"] == "rows":
            return {"made": True}, sqlite_files.copied(path, task["inner"], limits)
        file_check.check(task["kind"], path, task["inner"], limits, engine)
    except PrivetError as error:
        return {"error": [type(error).__name__, error.fact, error.hint, error.details]}, None
    return {"made": True}, None


def _written(pipe: int, said: dict[str, Any], rows: Any) -> None:
    with os.fdopen(pipe, "wb") as out:
        out.write(json.dumps(said).encode() + b"\n")
        if rows is not None:
            import pyarrow as pa

            with pa.ipc.new_stream(pa.PythonFile(out, mode="w"), rows.schema) as stream:
                stream.write_table(rows, max_chunksize=100_000)


def _limited(limits: ReaderLimits, seconds: int) -> None:
    """Limits that the kernel keeps: of time, memory, open files; nothing is written to a file, nor left as a core."""
    import resource

    in_use = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    for what, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, in_use + limits.memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        hard = resource.getrlimit(what)[1]
        both = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (both, both))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))

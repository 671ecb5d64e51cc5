"""The copy that reads a file reads that file alone, within limits that the kernel keeps."""

import json
import os
import sqlite3

import pytest

from privet.engine import _process_isolation as isolation
from privet.engine import _reader_server as server
from privet.engine._reader_limits import ReaderLimits

pytestmark = pytest.mark.skipif(
    not isolation.offered().complete, reason="this system offers no Landlock or seccomp"
)


def said(do):
    """What `do` writes into a pipe from a copy of this process, which has no other files open, as the server has none."""
    mine, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.closerange(3, theirs)
        os.closerange(theirs + 1, 4096)
        try:
            do(theirs)
        finally:
            os._exit(7)
    os.close(theirs)
    with os.fdopen(mine, "rb") as read:
        found = read.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), found


def task(path, what="tables", **more):
    return {
        "task": what,
        "path": str(path),
        "inner": None,
        "seconds": 20,
        "limits": ReaderLimits().record(),
        **more,
    }


def test_a_task_is_answered_and_the_copy_ends(tmp_path):
    with sqlite3.connect(tmp_path / "t.sqlite") as made:
        made.execute("CREATE TABLE t (a INTEGER)")
    made.close()
    code, found = said(
        lambda pipe: server._answer(task(tmp_path / "t.sqlite"), pipe, isolation.offered(), None)
    )
    assert (code, json.loads(found)) == (0, {"made": {"t": "stored"}})


def test_a_copy_whose_task_is_nonsense_says_nothing_and_fails(tmp_path):
    code, found = said(lambda pipe: server._answer({"task": "x"}, pipe, isolation.offered(), None))
    assert (code, found) == (1, b"")


def test_the_kernel_keeps_the_limits():
    def tried(pipe):
        server._limited(ReaderLimits(memory_bytes=64 << 20), 20)
        try:
            bytearray(256 << 20)
        except MemoryError:
            os.write(pipe, b"no memory")

    assert said(tried)[1] == b"no memory"

"""What a process has given up it does not get back; where the system offers nothing, that is said."""

import errno
import os
import platform
import socket
from pathlib import Path

import pytest

from privet.engine import _process_isolation as isolation
from privet.engine._process_isolation import Isolation

OFFERED = isolation.offered()
needs_it = pytest.mark.skipif(not OFFERED.complete, reason="this system offers no Landlock or seccomp")


def in_a_copy(do) -> str:
    """What a forked copy says it met: one word for each thing it tried."""
    mine, theirs = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(theirs, do().encode())
        finally:
            os._exit(0)
    os.close(theirs)
    said = os.read(mine, 1 << 16).decode()
    os.close(mine)
    os.waitpid(child, 0)
    return said


def met(do) -> str:
    try:
        do()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return "done"


@needs_it
def test_only_the_named_file_is_read_and_nothing_is_written(tmp_path: Path) -> None:
    named, other = tmp_path / "named", tmp_path / "other"
    for one in (named, other):
        one.write_text("text")

    def tried() -> str:
        isolation.give_up_files([named], OFFERED.landlock)
        return " ".join(
            met(one)
            for one in (
                named.read_text,
                other.read_text,
                lambda: named.write_text("x"),
                named.unlink,
                lambda: os.listdir(tmp_path),  # noqa: PTH208
                (tmp_path / "new").mkdir,
                lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
            )
        )

    assert in_a_copy(tried) == " ".join(["done", *["EACCES"] * 6])
    assert named.read_text() == "text"


@needs_it
def test_there_is_no_network_no_program_and_no_other_process() -> None:
    def tried() -> str:
        isolation.give_up_calls()
        return " ".join(
            met(one)
            for one in (
                socket.socket,
                lambda: socket.socket(socket.AF_UNIX),
                socket.socketpair,
                lambda: os.execv("/bin/true", ["true"]),
                lambda: os.kill(os.getppid(), 0),
            )
        )

    assert in_a_copy(tried) == " ".join(["EPERM"] * 5)


@needs_it
def test_the_filter_lets_no_other_numbering_pass() -> None:
    """Each step is eight bytes; the first ones look at the architecture, and end what is not of it."""
    for machine in ("x86_64", "aarch64"):
        program = isolation._program(machine)
        steps = [program[at : at + 8] for at in range(0, len(program), 8)]
        assert steps[2][4:] == (0x80000000).to_bytes(4, "little")
        assert steps[-2][4:] == (0x7FFF0000).to_bytes(4, "little")
        jumps = [step for step in steps if step[0] == 0x15][1:]
        assert len({step[4:] for step in jumps}) == len(jumps) == len(isolation._DENIED[machine]) + 6
    assert len(isolation._DENIED["x86_64"]) == len(isolation._DENIED["aarch64"])


def test_a_system_that_offers_nothing_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation.sys, "platform", "darwin")
    assert isolation.offered() == Isolation()
    assert not Isolation().complete
    assert not Isolation(landlock=3).complete
    assert not Isolation(seccomp=True).complete
    assert Isolation(1, True).complete


def test_an_unknown_machine_has_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert not isolation.offered().seccomp


def test_what_fails_raises() -> None:
    with pytest.raises(OSError):
        isolation._done(-1)
    assert isolation._done(3) == 3

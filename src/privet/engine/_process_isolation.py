"""Giving up rights for good: a process that reads one named file and reaches no network, by Landlock and seccomp.

Landlock (Linux 5.13; https://docs.kernel.org/userspace-api/landlock.html) takes the file system away but for the files
that are named, and from its fourth and sixth version on also TCP and signals to other processes. Seccomp takes away the
system calls that make sockets, start programs, look into other processes or reach the kernel's less trodden parts; they
fail with EPERM. Neither can be undone by the process, nor by what it starts.

What the system offers is asked of it when it is needed. Where it offers less, `Isolation` says so and less is given up.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls of Landlock, the same on every architecture
_ASK_VERSION = 1
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
# How many rights over files each version of Landlock knows, in the order of their bits.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_MOST_FILE_RIGHTS = 16
_NETWORK, _SCOPES = 4, 6  # the versions in which TCP, and signals and abstract sockets, can be given up
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2

# socket, socketpair, bind, listen, accept, connect, sendto, sendmsg, accept4, sendmmsg | execve, execveat | ptrace, kill,
# rt_sigqueueinfo, process_vm_readv, process_vm_writev | bpf, userfaultfd, perf_event_open, mount, umount2, pivot_root,
# chroot, unshare, setns | keyctl, add_key, request_key | open_by_handle_at, init_module, finit_module, kexec_load |
# shmget, shmat, msgget, semget
_DENIED = {
    "x86_64": (
        *(41, 53, 49, 50, 43, 42, 44, 46, 288, 307, 59, 322, 101, 62, 129, 310, 311, 321, 323, 298),
        *(165, 166, 155, 161, 272, 308, 250, 248, 249, 304, 175, 313, 246, 29, 30, 68, 64),
    ),
    "aarch64": (
        *(198, 199, 200, 201, 202, 203, 206, 211, 242, 269, 221, 281, 117, 129, 138, 270, 271, 280, 282, 241),
        *(40, 39, 41, 51, 97, 268, 219, 217, 218, 265, 105, 273, 104, 194, 196, 186, 190),
    ),
}
# pidfd_send_signal, io_uring_setup, io_uring_enter, io_uring_register, pidfd_open, pidfd_getfd
_DENIED_EVERYWHERE = (424, 425, 426, 427, 434, 438)
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_OTHER_NUMBERING = 0x40000000  # x86_64: the same calls by other numbers
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _FAIL, _KILL = 0x7FFF0000, 0x00050000 | 1, 0x80000000


@dataclass(frozen=True, slots=True)
class Isolation:
    """What a process can give up here: the version of Landlock (0 for none), and whether there is seccomp."""

    landlock: int = 0
    seccomp: bool = False

    @property
    def complete(self) -> bool:
        """Whether both the files and the network can be given up."""
        return self.landlock > 0 and self.seccomp


def offered() -> Isolation:
    """What this system offers; asks, and gives nothing up."""
    if not sys.platform.startswith("linux") or sys.maxsize < 2**32:
        return Isolation()
    version = _libc().syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(_ASK_VERSION))
    return Isolation(max(int(version), 0), platform.machine() in _DENIED and _has_seccomp())


def give_up_calls() -> None:
    """No sockets, no programs, no look into other processes, from here on. Raises OSError where that fails."""
    filter_ = _program(platform.machine())

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    kept = ctypes.create_string_buffer(filter_, len(filter_))
    program = Program(len(filter_) // 8, ctypes.addressof(kept))
    _done(_prctl(_NO_NEW_PRIVILEGES, 1))
    _done(_prctl(_SECCOMP, _FILTER, ctypes.addressof(program)))


def give_up_files(readable: Iterable[Path], version: int) -> None:
    """No file is opened from here on but these, for reading; no TCP and no signals to others, where that is offered."""
    libc = _libc()
    handled = (1 << _FILE_RIGHTS.get(version, _MOST_FILE_RIGHTS)) - 1
    ruleset_of = struct.pack("=QQQ", handled, 3 if version >= _NETWORK else 0, 3 if version >= _SCOPES else 0)
    size = 24 if version >= _SCOPES else 16 if version >= _NETWORK else 8
    ruleset = _done(libc.syscall(_CREATE, ruleset_of, ctypes.c_size_t(size), ctypes.c_uint(0)))
    try:
        for path in readable:
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                rule = struct.pack("=Qi", _READ_FILE | (_READ_DIR if path.is_dir() else 0), opened)
                _done(libc.syscall(_ADD, ruleset, ctypes.c_uint(_PATH_BENEATH), rule, ctypes.c_uint(0)))
            finally:
                os.close(opened)
        _done(_prctl(_NO_NEW_PRIVILEGES, 1))
        _done(libc.syscall(_RESTRICT, ruleset, ctypes.c_uint(0)))
    finally:
        os.close(ruleset)


def _program(machine: str) -> bytes:
    """The filter of system calls: another architecture's are the end, those in the list fail, all others pass."""
    denied = (*_DENIED[machine], *_DENIED_EVERYWHERE)
    steps = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, _ARCHITECTURE[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
    ]
    if machine == "x86_64":
        steps += [(_AT_LEAST, 0, 1, _OTHER_NUMBERING), (_RETURN, 0, 0, _KILL)]
    for place, number in enumerate(denied):
        steps.append((_EQUAL, len(denied) - place, 0, number))
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _FAIL)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _has_seccomp() -> bool:
    try:
        said = Path("/proc/sys/kernel/seccomp/actions_avail").read_text(encoding="ascii")
    except (OSError, ValueError):
        return False
    return "errno" in said.split()


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, value: int, more: int = 0) -> int:
    words = [ctypes.c_ulong(one) for one in (value, more, 0, 0)]
    return int(_libc().prctl(ctypes.c_int(option), *words))


def _done(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return int(result)

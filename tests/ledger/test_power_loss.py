"""A power cut loses no booking: disks are laid out as un-synced writes may leave them, and opened; at length in `bench.power_loss`."""

import random
from pathlib import Path

import pytest
from tests.ledger.lost_writes import Change, Disk, _changes, can_record
from tests.ledger.power_loss import WEAKENED, cuts, recording, wrong_with
from tests.source_tree import listed

traced = pytest.mark.skipif(not can_record(), reason="strace(1) is needed, and leave to trace")


def losses(
    room: Path, changes: list[Change], kinds: tuple[str, ...], every: int = 1, enough: int = 10**9
) -> tuple[int, list[str]]:
    """How many disks were tried, and what was wrong with them; of those that are not of these kinds only some are tried."""
    tried, wrong = 0, []
    for number, (how, files, promised) in enumerate(cuts(changes, 1, 7, 5)):
        if how in kinds or (every > 1 and number % every == 0):
            tried += 1
            said = wrong_with(room / "left", files, promised)
            wrong += [f"{how} after {len(promised)} promises: {said}"] if said else []
        if len(wrong) >= enough:
            break
    return tried, wrong


@traced
def test_whatever_was_not_synced_no_booking_and_no_answer_is_lost(tmp_path: Path) -> None:
    changes = recording(tmp_path, long=False)
    assert sum(change.kind == "mark" for change in changes) == 14
    tried, wrong = losses(tmp_path, changes, ("dropped", "names kept", "kept"), every=8)
    assert tried > 25
    assert not wrong, listed(wrong)
    # The names of new files are as much a part of it: had no folder been synced, the whole book would be gone.
    unnamed = [change for change in changes if change.kind != "names"]
    assert losses(tmp_path, unnamed, ("dropped", "content kept"), enough=1)[1]


@traced
@pytest.mark.parametrize("how", WEAKENED)
def test_a_ledger_that_syncs_less_is_found_out(tmp_path: Path, how: str) -> None:
    _, wrong = losses(tmp_path, recording(tmp_path, long=False, weakened=(how,)), ("dropped",))
    assert wrong


def after(*changes: Change) -> dict[str, list[dict[str, bytes]]]:
    disk = Disk()
    for change in changes:
        disk.take(change)
    found: dict[str, list[dict[str, bytes]]] = {}
    for how, files in disk.after_a_cut(50, random.Random(1)):
        found.setdefault(how, []).append(files)
    return found


MADE = Change("make", 1, "a")
NAMED = Change("names")


def test_what_is_synced_stays_and_the_rest_is_open() -> None:
    found = after(
        MADE, NAMED, Change("write", 1, content=b"abc"), Change("sync", 1), Change("write", 1, at=5, content=b"xyz")
    )  # fmt: skip
    assert found["dropped"] == [{"a": b"abc"}]
    assert found["kept"] == [{"a": b"abc\0\0xyz"}]
    assert found["torn"] == [{"a": b"abc\0\0x"}]
    assert {files["a"] for files in found["some"]} == {b"abc", b"abc\0\0xyz"}


def test_a_name_is_certain_once_its_folder_is_synced() -> None:
    content = (Change("write", 1, content=b"abc"), Change("sync", 1))
    assert after(MADE, *content)["dropped"] == [{}]
    assert after(MADE, *content)["names kept"] == [{"a": b"abc"}]
    assert after(MADE, *content, NAMED)["dropped"] == [{"a": b"abc"}]
    gone = after(MADE, *content, NAMED, Change("take", 1, "a"))
    assert gone["dropped"] == [{"a": b"abc"}]
    assert gone["kept"] == [{}]


def test_a_cut_may_be_missing_as_well() -> None:
    found = after(MADE, NAMED, Change("write", 1, content=b"abc"), Change("sync", 1), Change("cut", 1, at=1))
    assert found["dropped"] == [{"a": b"abc"}]
    assert found["kept"] == [{"a": b"a"}]


def test_a_write_is_torn_between_sectors() -> None:
    for files in after(MADE, NAMED, Change("write", 1, content=b"x" * 4096))["torn"]:
        assert len(files["a"]) % 512 == 0
        assert len(files["a"]) < 4096


def test_a_trace_is_read_and_what_is_not_understood_is_refused() -> None:
    def hexed(text: str) -> str:
        return "".join(f"\\x{ord(letter):02x}" for letter in text)

    file, around = hexed("/d/a"), hexed("/d")
    lines = [
        f'7 openat(AT_FDCWD<{hexed("/x")}>, "{file}", O_RDWR|O_CREAT|O_EXCL, 0600) = 3<{file}>',
        f'7 pwrite64(3<{file}>, "{hexed("a, b")}", 4, 2) = 4',
        f"7 fdatasync(3<{file}>) = 0",
        f"7 fsync(4<{around}>) = 0",
        f'7 write(5<{hexed("/m")}>, "{hexed("!")}", 1) = 1',
        f'7 unlink("{file}") = 0',
        f'7 unlink("{file}") = -1 ENOENT (No such file or directory)',
        f'7 write(3<{file}>(deleted), "{hexed("z")}", 1) = 1',
        "7 +++ exited with 0 +++",
    ]
    found = list(_changes(iter(lines), Path("/d"), Path("/m")))
    assert [change.kind for change in found] == ["make", "write", "sync", "names", "mark", "take"]
    assert (found[1].at, found[1].content, found[4].content) == (2, b"a, b", b"!")
    with pytest.raises(AssertionError, match="not understood"):
        list(_changes(iter([f"7 fallocate(3<{file}>, 0, 0, 9) = 0"]), Path("/d"), Path("/m")))

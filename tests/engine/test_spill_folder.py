"""What does not fit into memory goes to a folder that is private and goes with the process."""

import os
import subprocess
import sys
from pathlib import Path

from privet.engine._spill_folder import spill_folder


def test_it_is_one_folder_of_the_owners_alone() -> None:
    folder = spill_folder()
    assert folder == spill_folder()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_was_cleared_away_is_made_again() -> None:
    spill_folder().rmdir()
    assert spill_folder().is_dir()


def test_it_goes_with_the_process_and_not_with_a_copy_of_it() -> None:
    script = (
        "import os, sys\n"
        "from privet.engine._spill_folder import spill_folder\n"
        "folder = spill_folder()\n"
        "if not (child := os.fork()):\n"
        "    sys.exit(0)\n"
        "os.waitpid(child, 0)\n"
        "print(folder, folder.is_dir())\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ
    )
    folder, there = said.stdout.split()
    assert there == "True"
    assert not Path(folder).exists()


def test_what_a_killed_process_left_goes_with_the_next_and_nothing_else_does(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys\n"
        "from privet.engine._spill_folder import spill_folder\n"
        "folder = spill_folder()\n"
        "(folder / 'rows.tmp').write_text('spilled')\n"
        "print(folder, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL) if sys.argv[1] == 'die' else sys.stdin.read()\n"
    )
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    words = [sys.executable, "-c", script]
    left = Path(
        subprocess.run([*words, "die"], capture_output=True, text=True, env=env, check=False).stdout.strip()
    )
    assert (left / "rows.tmp").exists()
    (tmp_path / "privet-spill-file").write_text("of somebody else")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "privet-spill-link").symlink_to(tmp_path / "elsewhere")
    with subprocess.Popen(
        [*words, "live"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
    ) as one:
        assert one.stdin
        assert one.stdout
        living = Path(one.stdout.readline().strip())
        assert not left.exists()
        subprocess.run([*words, "live"], input="", capture_output=True, text=True, env=env, check=True)
        assert (living / "rows.tmp").exists()  # somebody is at it
        one.stdin.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "elsewhere",
        "privet-spill-file",
        "privet-spill-link",
    ]

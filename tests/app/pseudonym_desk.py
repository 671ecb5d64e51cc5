"""A folder with keys and pseudonyms, and a command line in it: no secret may be in what it says."""

import base64
import csv
import json
from pathlib import Path
from typing import Any

import pytest

from privet.app._cli import main

PHRASE = "correct horse battery staple"
SECRET = base64.b64encode(bytes(range(32))).decode()
ROWS = "patient_id,email,ssn,seen\n007,ada@x.org,078-05-1120,2024-02-29\n8,bob@x.org,219-09-9999,2024-03-01\n007,ada@x.org,078-05-1120,2024-03-10\n"


class Desk:
    """A folder, and a command line in it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def __call__(self, *words: str, code: int = 0) -> Any:
        with pytest.raises(SystemExit) as stop:
            main([*words, "--json"])
        said = self.capsys.readouterr()
        assert stop.value.code == code, said.out + said.err
        assert "Traceback" not in said.err
        assert SECRET not in said.out + said.err
        assert PHRASE not in said.out + said.err
        return json.loads(said.out)

    def column(self, file: str, name: str) -> list[str]:
        with (self.folder / file).open(encoding="utf-8") as opened:
            return [row[name] for row in csv.DictReader(opened)]

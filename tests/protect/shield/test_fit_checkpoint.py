"""A fit on file: what was changed is refused, and nothing is written where no folder is named."""

import pytest
import torch

from privet.errors import FileProblem
from privet.protect.shield._fit_checkpoint import FitCheckpoint


def parts():
    module = torch.nn.Linear(2, 2)
    return module, torch.optim.AdamW(module.parameters())


def test_a_checkpoint_that_was_changed_is_refused(tmp_path) -> None:
    module, optimizer = parts()
    kept = FitCheckpoint(tmp_path / "fit", "key")
    kept.note(module, optimizer, [{"usefulness": 1.0}], 1, 1)
    found: list[dict[str, float]] = []
    assert FitCheckpoint(tmp_path / "fit", "key").restore(module, optimizer, found) == 1
    assert list(found[0]) == ["usefulness"]
    (tmp_path / "fit" / "state.safetensors").write_bytes(b"other")
    with pytest.raises(FileProblem):
        FitCheckpoint(tmp_path / "fit", "key").restore(module, optimizer, found)


def test_without_a_folder_nothing_is_kept() -> None:
    module, optimizer = parts()
    nowhere = FitCheckpoint(None, "")
    nowhere.note(module, optimizer, [], 1, 1)
    assert nowhere.restore(module, optimizer, []) == 0

"""A sweep: every model is trained once, goes on where it stopped, and answers for its own text alone."""

import pytest

from privet.errors import BadTraining, FileProblem
from privet.protect.train.language import ScalingSweep, measure_losses, public_texts

pytest.importorskip("transformers")
SMALL = ScalingSweep(
    shapes=((1, 16), (1, 32)),
    noise_ratios=(0.0, 0.01, 30.0),
    rates=(0.01,),
    steps=24,
    every=6,
    batch=4,
    sequence=16,
)
TEXT = ["the patient came and went again and came " * 60]


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    return measure_losses(TEXT, SMALL, folder, measured_on="a sentence"), folder


def test_losses_fall_and_noise_spoils_them(swept):
    table, _ = swept
    losses = {(run.size, run.ratio): run.losses for run in table.runs}
    for size in table.sizes:
        assert losses[size, 0.0][-1] < losses[size, 0.0][0]
        assert losses[size, 30.0][-1] > losses[size, 0.0][-1]
    assert table.measured_on == "a sentence"
    assert table.steps == (6, 12, 18, 24)


def test_a_sweep_goes_on_where_it_stopped(swept, monkeypatch):
    table, folder = swept
    kept = sorted(folder.iterdir())
    assert len(kept) == len(table.runs)
    kept[0].unlink()
    told = []
    again = measure_losses(TEXT, SMALL, folder, measured_on="a sentence", say=told.append)
    assert told == [f"{len(table.runs)} of {len(table.runs)} runs"], "one run was missing"
    same = [one for one in again.runs if one in table.runs]
    assert len(same) >= len(table.runs) - 1


def test_another_text_is_measured_by_itself(swept):
    table, folder = swept
    told = []
    measure_losses(
        ["something else entirely, and more of it " * 60], SMALL, folder, measured_on="other", say=told.append
    )
    assert len(told) == len(table.runs)


def test_bad_input_is_refused(tmp_path):
    with pytest.raises(BadTraining, match="too little text"):
        measure_losses(["short"], SMALL, tmp_path, measured_on="x")
    with pytest.raises(BadTraining, match="0 among them"):
        ScalingSweep(noise_ratios=(0.1, 0.2, 0.3))
    with pytest.raises(BadTraining, match="two shapes"):
        ScalingSweep(shapes=((1, 17), (2, 32)))
    (tmp_path / "latin.txt").write_bytes(b"\xff\xfe\xff")
    for name in ("latin.txt", "nothing.txt"):
        with pytest.raises(FileProblem):
            public_texts([tmp_path / name])

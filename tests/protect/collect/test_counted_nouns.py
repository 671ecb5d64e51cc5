"""Sentences agree with their numbers, wherever collections speak."""

import pyarrow as pa
import pytest
from tests.app.doors import inside

import privet as pv
from privet.protect.collect._counted_nouns import left_out_note, numbered

SPEC = pv.Collection("coins", pv.OneOf(["heads", "tails"]), pv.LocalDP(2), "grr")


@pytest.mark.parametrize(
    ("many", "said"), [(0, "0 reports"), (1, "1 report"), (2, "2 reports"), (1000, "1,000 reports")]
)
def test_numbers_and_nouns_agree(many: int, said: str) -> None:
    assert numbered(many, "report") == said
    assert numbered(many, "person", "people").startswith(said.split(maxsplit=1)[0])
    verb = " was left out because it does" if many == 1 else " were left out because they do"
    assert left_out_note(many) == f"{said}{verb} not fit the specification."


def test_one_of_each(tmp_path) -> None:
    """One report counted, one left out, one sent by a device, one person made up."""
    good, other = SPEC.randomize(["heads"]), pv.Collection("x", SPEC.question, SPEC.promise, "grr")
    both = pa.concat_tables([table.cast(good.schema) for table in (good, other.randomize(["tails"]))])
    answer = pv.estimate(both, SPEC)
    assert "1 report was left out because it does not fit the specification." in answer.notes
    assert "1 report that fits the specification was counted." in answer.provenance.stages
    phone = SPEC.device(tmp_path / "phone.json")
    phone.report("heads")
    assert "1 report for" in str(phone)
    SPEC.save(tmp_path / "coins.json")
    said = inside("collect", "simulate", "coins.json", "--people", "1", cwd=tmp_path)
    assert "1 made-up person;" in said.err + said.out

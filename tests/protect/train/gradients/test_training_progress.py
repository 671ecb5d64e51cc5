"""What a run says: to anybody what comes of noisy sums, to the owner what does not; two types that cannot be mixed up."""

import dataclasses
import json

import pytest

from privet.protect.train.gradients import OwnerView, Progress


def test_what_anybody_may_see_is_a_plain_record_of_all_it_holds():
    seen = Progress(3, 10, 0.5, 0.1, 1.0, 0.25)
    assert json.loads(json.dumps(seen.to_json())) == dataclasses.asdict(seen)


def test_the_owners_view_has_no_record_and_nothing_in_common_but_the_step():
    view = OwnerView(3, 64, 0.7, 0.2, 1)
    assert not hasattr(view, "to_json"), "it must not be written where records go"
    names = [{field.name for field in dataclasses.fields(kind)} for kind in (OwnerView, Progress)]
    assert names[0] & names[1] == {"step"}
    assert not {"loss", "clipped_share", "examples", "left_out"} & names[1], "exact figures of the records"
    with pytest.raises(dataclasses.FrozenInstanceError):
        view.loss = 0.0

"""A network that predicts is in evaluation mode, and goes back to where it was."""

import pytest
from tests.protect.train.gradients.runs import net

from privet.protect.train.gradients._evaluation_mode import evaluated


def test_each_part_goes_back_to_the_mode_it_was_in():
    made = net().train()
    made[1].eval()
    with evaluated(made):
        assert not any(part.training for part in made.modules())
    with pytest.raises(KeyError), evaluated(made):
        raise KeyError
    assert [part.training for part in made.modules()] == [True, True, False, True]

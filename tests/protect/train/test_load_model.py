"""One way to load whatever was trained."""

import pytest
from tests.artifact.test_released_model import model
from tests.protect.train.gradients.networks import saved
from tests.protect.train.gradients.runs import net

import privet as pv
from privet.errors import BadModel


def test_a_model_of_a_table_needs_no_architecture(tmp_path):
    place = model().save(tmp_path / "m")
    assert isinstance(pv.load_model(place), pv.ReleasedModel)
    with pytest.raises(BadModel, match="needs no architecture"):
        pv.load_model(place, net)


def test_a_network_needs_one(tmp_path):
    place = saved(tmp_path / "n")
    assert isinstance(pv.load_model(place, net), pv.ReleasedNetwork)
    with pytest.raises(BadModel, match="architecture is not stored"):
        pv.load_model(place)
    with pytest.raises(BadModel, match="architecture is not stored"):
        pv.attack(str(place))


@pytest.mark.parametrize("architecture", [None, net])
def test_a_folder_without_a_model_is_refused(tmp_path, architecture):
    with pytest.raises(BadModel, match="not a folder with a model"):
        pv.load_model(tmp_path, *([architecture] if architecture else []))

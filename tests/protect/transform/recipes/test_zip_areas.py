"""The list of ZIP areas: the census's own, or a file that is read strictly."""

import json
from pathlib import Path

import pytest
from tests.protect.transform.recipes.people import KINDS, TODAY, opened

from privet.errors import BadRecipe
from privet.guarantee._promise_registry import SafeHarbor
from privet.protect.transform.recipes import (
    _recipe_application as applying,
)
from privet.protect.transform.recipes import (
    apply_safe_harbor,
    zip_areas,
)


@pytest.fixture(autouse=True)
def _in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows stay where they are, to be compared one by one."""
    monkeypatch.setattr(applying, "in_random_order", lambda batches, *_: batches)


def test_an_own_list_of_areas(tmp_path: Path) -> None:
    (tmp_path / "areas.json").write_text(json.dumps({"year": 2020, "source": "x", "zip3": ["021"]}))
    areas = zip_areas(tmp_path / "areas.json")
    released = apply_safe_harbor(opened(), KINDS, areas=areas, today=TODAY)
    assert released.to_arrow()["zip"].to_pylist()[:2] == ["000", "036"]
    assert released.promise == SafeHarbor(2020)
    (tmp_path / "areas.json").write_text('{"year": 2020}')
    with pytest.raises(BadRecipe):
        zip_areas(tmp_path / "areas.json")


def test_the_list_is_that_of_hhs() -> None:
    """45 CFR 164.514(b): the seventeen areas of the census of 2000, as the guidance of HHS names them."""
    areas = zip_areas()
    assert areas.year == 2000
    assert len(areas.sparse) == 17
    assert {"036", "059", "102", "203", "821", "893"} <= areas.sparse
    assert not {"000", "021", "941"} & areas.sparse


OTHER_LISTS = ('["36"]', '["0360"]', '["03a"]', "[36]", '"036"', "36")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"year": "soon", "source": "x", "zip3": []}']
    + [f'{{"year": 2020, "source": "x", "zip3": {zips}}}' for zips in OTHER_LISTS],
)
def test_lists_that_are_none_are_refused_and_not_shown(text: str, tmp_path: Path) -> None:
    path = tmp_path / "areas.json"
    path.write_text(text)
    with pytest.raises(BadRecipe) as refused:
        zip_areas(path)
    assert "03a" not in str(refused.value)
    with pytest.raises(BadRecipe, match="cannot be read"):
        zip_areas(tmp_path / "nowhere.json")

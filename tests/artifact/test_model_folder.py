"""Folders with models: of two kinds, each read as what it is."""

import pytest
from tests.artifact.test_released_model import model

from privet.artifact._model_folder import (
    NETWORK,
    RECORD,
    TABULAR,
    is_model,
    kind_of_model,
    read_model,
    write_model,
)
from privet.errors import BadModel, FileProblem


def test_a_folder_says_what_it_holds(tmp_path):
    place = model().save(tmp_path / "m")
    assert kind_of_model(place) == TABULAR
    assert kind_of_model(tmp_path) is None
    assert is_model(place)


def test_a_network_is_not_read_as_a_model_of_a_table(tmp_path):
    place = write_model(tmp_path / "m", b"", {"schema": 1, "artifact": NETWORK}, "card")
    assert is_model(place)
    with pytest.raises(BadModel, match="architecture is not stored"):
        read_model(place, TABULAR)
    record, content, standing = read_model(place, NETWORK)
    assert (record["artifact"], content, standing.word) == (NETWORK, b"", "claimed")


def test_one_model_replaces_another_and_nothing_else(tmp_path):
    place = model().save(tmp_path / "m")
    write_model(place, b"", {"schema": 1, "artifact": NETWORK}, "card")
    assert kind_of_model(place) == NETWORK
    (place / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(FileProblem):
        write_model(place, b"", {"schema": 1, "artifact": NETWORK}, "card")


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": 1, "artifact": "other"}', '{"schema": 2}'])
def test_other_records_are_refused(tmp_path, text):
    place = write_model(tmp_path / "m", b"", {"schema": 1, "artifact": NETWORK}, "card")
    (place / RECORD).write_text(text, encoding="utf-8")
    with pytest.raises(BadModel):
        read_model(place, NETWORK)

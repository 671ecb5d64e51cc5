"""Export to ONNX, where its libraries are installed."""

import sys

import numpy as np
import pytest
from tests.protect.train.gradients.networks import trained
from tests.protect.train.gradients.runs import data

from privet.errors import BadModel, MissingExtra
from privet.protect.train.gradients import _onnx_export as onnx_export


def test_without_its_libraries_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtra, match="onnx"):
        trained().released().export_onnx(tmp_path / "n.onnx")
    assert not list(tmp_path.iterdir())


def test_a_name_that_is_none_is_refused(tmp_path):
    with pytest.raises(BadModel, match=r"\.onnx|ONNX"):
        trained().released().export_onnx(tmp_path / "n.pt")


def test_inputs_are_made_up_of_public_facts():
    network = trained().released()
    (given,) = onnx_export._made_up(network.module, network.record)
    assert given.shape == (3, 6)
    assert given.min() == -1


def test_the_graph_computes_what_the_network_does(tmp_path):
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxscript")
    from onnx.reference import ReferenceEvaluator

    network = trained().released()
    place = network.export_onnx(tmp_path / "n.onnx")
    graph = onnx.load(place)
    x, _ = data()
    found = ReferenceEvaluator(graph).run(None, {"input": x.numpy()})[0]
    assert np.allclose(found, network.scores(x), atol=1e-5)
    said = {one.key: one.value for one in graph.metadata_props}
    assert said["privet.sentence"] == network.record.to_json()["sentence"]


def test_a_graph_that_computes_something_else_is_refused(tmp_path, monkeypatch):
    pytest.importorskip("onnx")
    pytest.importorskip("onnxscript")
    network = trained().released()
    monkeypatch.setattr(onnx_export, "_TOLERANCE", -1.0)
    with pytest.raises(BadModel, match="something else"):
        network.export_onnx(tmp_path / "n.onnx")
    assert not list(tmp_path.iterdir())

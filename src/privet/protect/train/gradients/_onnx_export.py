"""A released network as ONNX: its graph by torch's own exporter, computed again by ONNX's evaluator before it is written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import NetworkRecord, Publishable, written_whole
from privet.errors import BadModel, MissingExtra
from privet.protect.train.gradients._evaluation_mode import evaluated

if TYPE_CHECKING:
    from torch import nn

Scores = Callable[[Any], NDArray[np.float64]]  # of a network, by its own code

_TRIED = 3  # records of made-up numbers that both compute
_TOLERANCE = 1e-4
_LARGEST = 2**31 - 1  # of one file of protocol buffers


def write_onnx(module: nn.Module, record: NetworkRecord, scores: Scores, path: Path) -> Path:
    """Export, compare, and write whole or not at all; the number of records is left open."""
    if path.suffix != ".onnx":
        raise BadModel(f"{path.name} is no name for an ONNX file.", "End it in .onnx.")
    content = _content(module, record, scores)
    written_whole(path, Publishable(content, "released under a promise"))
    return path


def _content(module: nn.Module, record: NetworkRecord, scores: Scores) -> bytes:
    import torch

    try:
        import onnx
        import onnxscript  # noqa: F401  the exporter of torch is written in it
    except ImportError:
        raise MissingExtra("the export needs onnx and onnxscript.", "pip install 'privet[onnx]'") from None
    given = _made_up(module, record)
    names = [one.name or "input" for one in record.inputs]
    rows = torch.export.Dim("rows", min=1)
    named = record.form == "named"
    with evaluated(module), torch.no_grad():
        try:
            program = torch.onnx.export(
                module,
                () if named else tuple(given),
                kwargs=dict(zip(names, given, strict=True)) if named else None,
                dynamic_shapes={name: {0: rows} for name in names}
                if named
                else tuple({0: rows} for _ in given),
                input_names=names,
                output_names=["output"],
                dynamo=True,
                verbose=False,
            )
        except Exception as problem:
            raise BadModel(
                f"torch cannot export this network to ONNX: {type(problem).__name__}.",
                "The cause stands above. Save the folder, and load it with pv.load_model.",
            ) from problem
    assert program is not None
    proto = program.model_proto
    for name, value in _metadata(record).items():
        entry = proto.metadata_props.add()
        entry.key, entry.value = name, value
    if proto.ByteSize() > _LARGEST:
        raise BadModel("this network is too large for one ONNX file.", "Save the folder instead.")
    onnx.checker.check_model(proto)
    _compare(proto, dict(zip(names, given, strict=True)), record.form, scores)
    return bytes(proto.SerializeToString())


def _compare(proto: Any, given: dict[str, Any], form: str, scores: Scores) -> None:
    """Refuse a graph that computes something else than the network."""
    from onnx.reference import ReferenceEvaluator

    fed = {name: value.cpu().numpy() for name, value in given.items()}
    found = np.asarray(ReferenceEvaluator(proto).run(None, fed)[0], dtype=np.float64)
    several = tuple(given.values())
    wanted = scores(fed if form == "named" else several if form == "several" else several[0])
    if found.shape != wanted.shape or not np.allclose(found, wanted, rtol=_TOLERANCE, atol=_TOLERANCE):
        raise BadModel(
            "the exported graph computes something else than the network.",
            "Save the folder, and load it with pv.load_model.",
        )


def _made_up(module: nn.Module, record: NetworkRecord) -> list[Any]:
    """Inputs of the right shapes and types: a ramp of numbers, nought for codes, which are valid everywhere."""
    import torch

    found = []
    first = next(module.parameters(), None)
    for one in record.inputs:
        kind, shape = getattr(torch, one.dtype), (_TRIED, *one.shape)
        count = int(np.prod(shape))
        values = torch.linspace(-1, 1, count).reshape(shape) if kind.is_floating_point else torch.zeros(shape)
        found.append(values.to("cpu" if first is None else first.device, kind))
    return found


def _metadata(record: NetworkRecord) -> dict[str, str]:
    return {
        "privet.sentence": record.to_json()["sentence"],
        "privet.promise": json.dumps(record.promise.to_json()),
        "privet.unit": json.dumps(record.unit),
        "privet.receipt": json.dumps(record.receipt.to_json()),
    }

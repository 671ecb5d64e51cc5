"""A network that may leave the house: weights under a promise, in an architecture that whoever uses it brings along.

A folder holds tensors, a record, a card and a receipt; no code. To use it one gives the class of the network, or a function
that makes it; names, types and shapes must be those of the record, and the values those that were saved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.artifact import (
    NETWORK,
    Displayed,
    ModelTarget,
    NetworkRecord,
    Receipt,
    as_arrow,
    read_model_record,
    read_weights,
    refuse_other_tensors,
    sign_file,
    stored_tensors,
    write_model,
)
from privet.errors import BadModel, checked
from privet.evidence import CLAIMED
from privet.guarantee import Promise, unit_from_json
from privet.protect.train.gradients._evaluation_mode import evaluated

if TYPE_CHECKING:
    from torch import Tensor, nn

    from privet.evidence import Signing, Standing

_AT_ONCE = 1024  # records that go through the network together
_SLACK = 2**20  # bytes of a header beyond that of the same tensors written here


@dataclass(frozen=True)
class ReleasedNetwork(Displayed):
    """A network with its promise, which holds whatever is asked of it and however often."""

    module: nn.Module
    record: NetworkRecord
    _drawn_as: ClassVar[str] = "released network"

    @property
    def promise(self) -> Promise:
        """What its weights keep."""
        return self.record.promise

    @property
    def unit(self) -> dict[str, Any]:
        """Whose presence is hidden."""
        return self.record.unit

    @property
    def receipt(self) -> Receipt:
        """What paid for it."""
        return self.record.receipt

    @property
    def standing(self) -> Standing | None:
        """Of one that was read from a folder: whether its promise is the data set's word."""
        return self.record.standing

    @property
    def target(self) -> ModelTarget | None:
        """What is predicted, where it was named."""
        return ModelTarget(self.record.target, self.record.classes) if self.record.target else None

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The classes in the order of `predict_proba`, where they were named."""
        return self.record.classes or None

    # --- use -----------------------------------------------------------------------------------

    @checked
    def scores(self, data: object) -> NDArray[np.float64]:
        """The raw outputs for each record: of tensors, arrays or a table with a column for each number."""
        import torch

        from privet.protect.train.gradients._per_example_loss import called

        inputs = self._inputs(data)
        parts = list(inputs.values()) if isinstance(inputs, dict) else list(inputs)
        size = len(parts[0])
        found = []
        with evaluated(self.module), torch.no_grad():
            for start in range(0, size, _AT_ONCE):
                some = [part[start : start + _AT_ONCE] for part in parts]
                given: Any = dict(zip(inputs, some, strict=True)) if isinstance(inputs, dict) else tuple(some)
                try:
                    outputs = called(self.module, given)
                except Exception as problem:
                    raise BadModel(
                        f"the network fails on these inputs with {type(problem).__name__}.",
                        "Is it the architecture that it was trained in?",
                    ) from problem
                found.append(getattr(outputs, "logits", outputs).double().cpu().numpy())
        return np.concatenate(found) if found else np.zeros((0, 1))

    def predict(self, data: object) -> NDArray[Any]:
        """For each record the likeliest class, by its name where classes are named; a number where it predicts one."""
        scores = self.scores(data)
        if self.record.loss == "logistic":
            found = (scores.reshape(len(scores)) > 0).astype(np.int64)
        elif self.record.loss in ("cross_entropy", "language"):
            found = scores.argmax(axis=1 if self.record.loss == "cross_entropy" else -1)
        else:
            return scores
        return np.array(self.record.classes, dtype=object)[found] if self.record.classes else found

    def predict_proba(self, data: object) -> NDArray[np.float64]:
        """For each record the probability of each class."""
        if self.record.loss not in ("cross_entropy", "logistic"):
            raise BadModel(
                f"a network trained with the loss {self.record.loss!r} gives no probabilities of classes.",
                "Use scores.",
            )
        scores = self.scores(data)
        if self.record.loss == "logistic":
            flat = scores.reshape(len(scores))
            scores = np.column_stack([np.zeros_like(flat), flat])
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def card(self) -> str:
        """The model card: what it is for people who decide about its use."""
        return self.record.card()

    def __str__(self) -> str:
        record, unit = self.record, unit_from_json(self.record.unit)
        note, standing = record.receipt.note, record.standing
        return (
            f"network {record.architecture}, {len(record.tensors)} tensors, loss {record.loss}\n"
            f"{record.promise.sentence_about(unit)}"
            + (f"\n{note}" if note else "")
            + (f"\n{standing.sentence()}" if standing else "")
        )

    def _inputs(self, data: Any) -> tuple[Tensor, ...] | dict[str, Tensor]:
        """What the network is called with."""
        wanted = self.record.inputs
        if self.record.form == "one":
            return (self._tensor(self._matrix(data), 0),)
        if self.record.form == "named":
            if not isinstance(data, Mapping) or {str(name) for name in data} != {one.name for one in wanted}:
                raise BadModel(
                    f"this network takes {', '.join(one.name for one in wanted)} by name.", "Give a mapping."
                )
            return {one.name: self._tensor(data[one.name], at) for at, one in enumerate(wanted)}
        if not isinstance(data, tuple | list) or len(data) != len(wanted):
            raise BadModel(f"this network takes {len(wanted)} inputs.", "Give a tuple of them.")
        return tuple(self._tensor(one, at) for at, one in enumerate(data))

    def _matrix(self, data: Any) -> Any:
        """A table as a matrix; anything else as it is."""
        if type(data).__module__.partition(".")[0] not in ("pandas", "polars", "pyarrow"):
            return data
        table = as_arrow(data)
        names = list(self.record.columns) or table.column_names
        lacking = [name for name in names if name not in table.column_names]
        if lacking:
            raise BadModel(
                f"the table lacks columns that the network needs: {', '.join(lacking[:5])}.",
                "Give all columns that it was trained on.",
            )
        try:
            return np.column_stack(
                [np.asarray(table.column(name).to_numpy(), dtype=np.float64) for name in names]
            )
        except (TypeError, ValueError):
            raise BadModel(
                "a column of the table does not hold numbers.", "Give the columns it was trained on."
            ) from None

    def _tensor(self, values: Any, at: int) -> Tensor:
        """One input, in the type and the shape that the network was trained with."""
        import torch

        wanted = self.record.inputs[at]
        try:
            given = torch.as_tensor(values)
        except (TypeError, ValueError, RuntimeError):
            raise BadModel(
                "the input is neither a tensor nor an array of numbers.", "Give one row for each record."
            ) from None
        kind = getattr(torch, wanted.dtype, None)
        if not isinstance(kind, torch.dtype):
            raise BadModel(f"{wanted.dtype!r} is no type of torch.", "Use the folder as it was saved.")
        if not kind.is_floating_point and given.is_floating_point():
            whole = given.to(kind)
            if not bool((whole == given).all()):
                raise BadModel("this network takes whole numbers.", "Give the codes that it was trained on.")
            given = whole
        if given.ndim and tuple(given.shape[1:]) != wanted.shape:
            if given[:1].numel() != int(np.prod(wanted.shape)) and len(given):
                raise BadModel(
                    f"records have the shape {tuple(given.shape[1:])}, and the network takes {wanted.shape}.",
                    "Give them as it was trained on, or with as many numbers a row.",
                )
            given = given.reshape(len(given), *wanted.shape)
        if not given.ndim:
            raise BadModel("the input is a single number.", "Give one row for each record.")
        first = next(self.module.parameters(), None)
        return given.to("cpu" if first is None else first.device, kind)

    # --- keeping -------------------------------------------------------------------------------

    @checked
    def save(self, folder: str | Path, *, only_trained: bool = False, signing: Signing | None = None) -> Path:
        """Write weights, record and card, whole or not at all; a folder that is there is replaced if it holds a model.

        Args:
            folder: where to.
            only_trained: leave out what was not trained, as with adapters on a model that everybody has. Whoever loads
                it brings the rest, which must be the same to the bit.
            signing: the data set's key, `pv.DataSet.of("patients.csv").signing()`; without one the folder is a claim.
        """
        from safetensors.torch import save

        state = state_of(self.module)
        names = {one.name for one in self.record.tensors if one.trained or not only_trained}
        listed = tuple(replace(one, kept=one.name in names) for one in self.record.tensors)
        record = replace(self.record, tensors=listed, standing=None)
        content = save({name: state[name] for name in state if name in names})
        NetworkRecord.from_json(record.to_json(), CLAIMED)  # what cannot be read again is not written
        refuse_other_tensors(listed, content)
        place = write_model(folder, content, record.to_json(), record.card())
        sign_file(place, signing)
        return place

    @checked
    def export_onnx(self, path: str | Path) -> Path:
        """Write the network as ONNX, for programs without Python; needs the extra `onnx`.

        The graph is computed again by ONNX's own evaluator and compared with the network. The promise and the receipt are in
        its metadata, which no signature covers: what was signed is the folder that `save` writes.
        """
        from privet.protect.train.gradients._onnx_export import write_onnx

        return write_onnx(self.module, self.record, self.scores, Path(path))

    @classmethod
    @checked
    def load(cls, folder: str | Path, architecture: Callable[[], nn.Module]) -> ReleasedNetwork:
        """Read a folder into an architecture: its class, or a function that makes it; called without arguments.

        Refuses a folder that is incomplete, was changed, promises more than was paid for or has a broken signature, and an
        architecture whose tensors have other names, types or shapes. `standing` says whether the promise is the data set's
        word or a claim.
        """
        said, standing = read_model_record(folder, NETWORK)
        record = NetworkRecord.from_json(said, standing)
        module = _made(architecture)
        content = read_weights(folder, said, largest=_refuse_unfit(module, record) + _SLACK)
        refuse_other_tensors(record.tensors, content)
        _fill(module, content)
        return cls(module.eval(), record)


def state_of(module: nn.Module) -> dict[str, Tensor]:
    """All tensors of a module by name, each by itself; refuses other state, which could be anything."""
    import torch
    from torch import Tensor

    found = {}
    for name, value in module.state_dict().items():
        if not isinstance(value, Tensor) or value.layout is not torch.strided:
            raise BadModel(
                f"{name!r} of this network is not a plain tensor, and only those are kept.",
                "Take it out of state_dict() and get_extra_state().",
            )
        found[str(name)] = value.detach().cpu().contiguous().clone()
    return found


def _made(architecture: Any) -> nn.Module:
    """A fresh module; what it draws for its first weights is drawn on the side."""
    import torch
    from torch import nn

    if isinstance(architecture, nn.Module) or not callable(architecture):
        raise BadModel(
            "the architecture is a class or a function that makes the network.",
            "pv.load_model(folder, Net), or pv.load_model(folder, lambda: Net(10)).",
        )
    with torch.random.fork_rng():
        try:
            made = architecture()
        except TypeError as problem:
            raise BadModel(
                "the architecture cannot be made without arguments.", "Give lambda: Net(10), with yours."
            ) from problem
    if not isinstance(made, nn.Module):
        raise BadModel("what was made is no torch.nn.Module.", "Give the network's class or factory.")
    return made


def _refuse_unfit(module: nn.Module, record: NetworkRecord) -> int:
    """Refuse an architecture with other tensors than the record's, before a weight is read; how many bytes its own take."""
    from safetensors.torch import save

    own = save(state_of(module))
    mine = {one.name: one for one in stored_tensors(own, ())}
    wanted = {one.name: one for one in record.tensors}
    faults = [f"{name} is not in the architecture" for name in wanted if name not in mine]
    faults += [f"{name} is not in the folder" for name in mine if name not in wanted]
    for name in wanted.keys() & mine.keys():
        one, other = wanted[name], mine[name]
        if (one.dtype, one.shape) != (other.dtype, other.shape):
            faults.append(f"{name} is {one.dtype} {one.shape} here and {other.dtype} {other.shape} there")
        elif not one.kept and one.digest != other.digest:
            faults.append(f"{name}, which comes with the architecture, has other values")
    if faults:
        raise BadModel(
            f"the folder does not fit this architecture: {'; '.join(sorted(faults)[:5])}.",
            "Give the class or function that the network was trained with.",
            faults=sorted(faults),
        )
    return len(own)


def _fill(module: nn.Module, content: bytes) -> None:
    """Put the tensors in; they must be there afterwards."""
    import torch
    from safetensors.torch import load

    stored = load(content)
    state = module.state_dict()
    with torch.no_grad():
        for name, value in stored.items():
            state[name].copy_(value)
    after = module.state_dict()
    if any(not torch.equal(after[name].cpu(), value) for name, value in stored.items()):
        raise BadModel(
            "the architecture does not keep the values that are put into it.",
            "Tensors that it ties together must be equal, and state_dict() must give its own tensors.",
        )

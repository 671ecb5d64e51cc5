"""What kind of thing is attacked, what it says of itself, and records in the shape that its attacks want."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from privet.errors import BadAttack
from privet.guarantee.promises import Promise

_TABLES = (".parquet", ".csv", ".tsv", ".json", ".jsonl", ".ndjson")
_FRAMES = {"pandas", "polars", "pyarrow"}


def opened(thing: Any) -> Any:
    """A path as what lies there: a folder holds a released model, a file a table; anything else as it is."""
    if not isinstance(thing, str | Path):
        return thing
    path = Path(thing)
    if path.is_dir():
        from privet.artifact.model import ReleasedModel

        return ReleasedModel.load(path)
    if path.suffix.lower() not in _TABLES or not path.is_file():
        raise BadAttack(
            f"{path.name} is neither a folder with a model nor a file with a table.",
            "Name a folder that a model was saved to, or a CSV or Parquet file.",
        )
    if path.suffix == ".parquet" and _has_record(path):
        from privet.artifact.table import ReleasedTable

        return ReleasedTable.load(path)
    return rows(path)


def rows(thing: Any) -> Any:
    """A file or an opened table as Arrow; anything else as it is."""
    from privet.source.table import Table

    if isinstance(thing, str | Path):
        from privet.source.opening import open_table

        thing = open_table(thing)
    if isinstance(thing, Table):
        from privet.engine.running import fetch

        return fetch(thing.relation.table, thing.relation.engine).combine_chunks()
    return thing


def records_for(thing: Any, records: Any) -> Any:
    """Records of files and opened tables as the model wants them: Arrow for our own, pandas for those of others."""
    found = rows(records)
    ours = hasattr(thing, "fitted") and hasattr(thing, "receipt")
    if found is records or ours:
        return found
    return found.to_pandas()


def kind_of(thing: Any) -> str:
    """One of `registry.KINDS`."""
    from privet.artifact.table import ReleasedTable
    from privet.attack.dp.falsifier import Neighbours
    from privet.attack.dp.observed import Observed
    from privet.attack.dp.told_apart import CanaryRun
    from privet.attack.statistics import Answered
    from privet.attack.updates import Update
    from privet.source.table import Table

    first = thing[0] if isinstance(thing, list | tuple) and thing else thing
    for kind, types in (
        ("run", (Observed,)),
        ("canaries", (CanaryRun,)),
        ("mechanism", (Neighbours,)),
        ("statistics", (Answered,)),
        ("update", (Update,)),
        ("table", (ReleasedTable, Table)),
    ):
        if isinstance(first, types):
            return kind
    if type(thing).__module__.partition(".")[0] in _FRAMES:
        return "table"
    if hasattr(thing, "predict_proba") or _is_module(thing) or callable(thing):
        return "model"
    if callable(getattr(thing, "to_arrow", None)):
        return "table"
    raise BadAttack(
        f"there is no attack on a thing of type {type(thing).__name__}.",
        "Give a model, a table, released statistics, an update, a training run or a mechanism on two inputs.",
    )


def implied(thing: Any, kind: str) -> dict[str, Any]:
    """What the thing itself says beyond the case: how it was trained, that it has gradients, what it belongs to."""
    if kind == "model":
        from privet.attack.recipe import recipe_for

        recipe = recipe_for(thing)
        return {
            **({} if recipe is None else {"recipe": recipe}),
            **({"differentiable": True} if _is_module(thing) else {}),
        }
    model = getattr(thing, "model", None)
    return {"model": model} if kind == "update" and model is not None else {}


def own_promise(thing: Any) -> Promise | None:
    """The promise that an artifact carries."""
    found = getattr(thing, "promise", None)
    return found if isinstance(found, Promise) else None


def _is_module(thing: Any) -> bool:
    torch = sys.modules.get("torch")  # a module cannot exist without it
    return torch is not None and isinstance(thing, torch.nn.Module)


def _has_record(path: Path) -> bool:
    import pyarrow.parquet as pq

    from privet.artifact.record_files import METADATA

    return METADATA in (pq.read_schema(path).metadata or {})

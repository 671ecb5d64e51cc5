"""What kind of thing is attacked, what it says of itself, and records in the shape that its attacks want."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from privet.artifact import is_there
from privet.errors import BadAttack, PrivetError
from privet.guarantee import Promise

_TABLES = (".parquet", ".csv", ".tsv", ".json", ".jsonl", ".ndjson")
_FRAMES = {"pandas", "polars", "pyarrow"}


def opened(thing: Any) -> Any:
    """A path as what lies there: a folder holds a released model, a file a table; anything else as it is."""
    if not isinstance(thing, str | Path):
        # A run's own result, as it would leave.
        leaves = getattr(thing, "released", None)
        return leaves() if callable(leaves) and hasattr(thing, "plan") else thing
    path = Path(thing)
    if is_there(path) and path.is_dir():
        from privet.artifact import ReleasedModel
        from privet.attacks.memorization import causal_model, is_language_folder

        if is_language_folder(path):
            return causal_model(path)

        return ReleasedModel.load(path)
    if path.suffix.lower() not in _TABLES or not is_there(path):
        raise BadAttack(
            f"{path.name} is neither a folder with a model nor a file with a table or an answer.",
            "Name a folder that a model was saved to, a CSV or Parquet file, or a saved answer.",
        )
    match _record_kind(path):
        case "released-answer":
            from privet.artifact import ReleasedAnswer

            return ReleasedAnswer.load(path)
        case "released-output":
            from privet.artifact import ReleasedOutput

            return ReleasedOutput.load(path)
        case "released-twin":
            from privet.artifact import ReleasedTwin

            return ReleasedTwin.load(path)
        case None:
            return rows(path)
        case _:
            from privet.artifact import ReleasedTable

            return ReleasedTable.load(path)


def rows(thing: Any) -> Any:
    """A file or an opened table as Arrow; anything else as it is."""
    from privet.source import Table

    if isinstance(thing, str | Path):
        from privet.source import open_table

        thing = open_table(thing)
    if isinstance(thing, Table):
        from privet.engine import fetch

        return fetch(thing.relation.table, thing.relation.engine).combine_chunks()
    return thing


def records_for(thing: Any, records: Any) -> Any:
    """Records of files and opened tables as the model wants them: Arrow for our own, pandas for those of others."""
    found = rows(records)
    ours = hasattr(thing, "receipt") and (hasattr(thing, "fitted") or hasattr(thing, "module"))
    if found is records or ours:
        return found
    return found.to_pandas()


def kind_of(thing: Any) -> str:
    """One of `KINDS` of `_attack_registry`."""
    from privet.artifact import ReleasedAnswer, ReleasedOutput, ReleasedTable, ReleasedTwin
    from privet.attacks.dp_audit import CanaryRun, Neighbours, Observed
    from privet.attacks.inversion import is_shield
    from privet.attacks.local import is_client
    from privet.attacks.memorization import is_language_model
    from privet.attacks.statistics import Answered
    from privet.attacks.updates import Update
    from privet.attacks.worlds import WorldGame
    from privet.source import Table

    first = thing[0] if isinstance(thing, list | tuple) and thing else thing
    for kind, is_one in (
        ("shield", is_shield(thing)),
        ("language", is_language_model(thing)),
        ("client", is_client(first)),
    ):
        if is_one:
            return kind
    for kind, types in (
        ("run", (Observed,)),
        ("canaries", (CanaryRun,)),
        ("mechanism", (Neighbours,)),
        ("statistics", (Answered, ReleasedAnswer)),
        ("update", (Update,)),
        ("table", (ReleasedTable, ReleasedTwin, Table)),
    ):
        if isinstance(first, types):
            return kind
    if isinstance(first, ReleasedOutput):
        raise BadAttack(
            "an output alone does not say what other halves would have given.",
            "Attack the function on its rows: pv.attack(pv.pac_trials(patients.apply(…), promise)); or give the rows of a file that "
            "`privet pac` wrote, --members patients.csv.",
        )
    if isinstance(first, WorldGame):
        return "worlds"
    if type(thing).__module__.partition(".")[0] in _FRAMES:
        return "table"
    if hasattr(thing, "predict_proba") or _is_module(thing) or callable(thing):
        return "model"
    if callable(getattr(thing, "to_arrow", None)):
        return "table"
    raise BadAttack(
        f"there is no attack on a thing of type {type(thing).__name__}.",
        "Give a model, a language model, a shield, a table, released statistics, trials of a PAC release, an update, a training run, a mechanism on two "
        "inputs or a client.",
    )


def implied(thing: Any, kind: str) -> dict[str, Any]:
    """What the thing itself says beyond the case: how it was trained, that it has gradients, what it belongs to."""
    if kind == "model":
        from privet.attacks._training_recipe import recipe_for

        recipe = recipe_for(thing)
        return {
            **({} if recipe is None else {"recipe": recipe}),
            **({"differentiable": True} if _is_module(getattr(thing, "module", thing)) else {}),
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


def _record_kind(path: Path) -> str | None:
    """What a file says of itself, if it is one of our records."""
    from privet.artifact import load_record

    if path.suffix not in {".parquet", ".json"}:
        return None
    try:
        found = load_record(path, "a record").get("artifact")
    except PrivetError:
        return None
    return found if isinstance(found, str) else None


def is_released_answer(thing: Any) -> bool:
    """Whether it is a released answer, or several."""
    from privet.artifact import ReleasedAnswer

    parts = thing if isinstance(thing, list | tuple) else [thing]
    return bool(parts) and all(isinstance(part, ReleasedAnswer) for part in parts)


def asked_of(thing: Any, members: Any, secret: Any, value: Any) -> tuple[Any, Any, Promise | None]:
    """Released answers as questions about everybody's secret: what was answered, the truth, and the promise of all."""
    from privet.attacks.statistics import counts_about, promise_of_all
    from privet.attacks.tables import rows_of

    answers = list(thing) if isinstance(thing, list | tuple) else [thing]
    if not isinstance(secret, str) or value is None or members is None:
        raise BadAttack(
            "released answers are attacked for one value of a secret column, in the table that was asked.",
            "Give members, secret=diagnosis and value=yes.",
        )
    return *counts_about(answers, rows_of(members), secret, value), promise_of_all(answers)

"""What the options of `privet query` mean: a promise, and files to write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import BadUsage

if TYPE_CHECKING:
    from privet.guarantee.promises import ApproxDP, PureDP, ZeroConcentratedDP


def promised(
    epsilon: str | None, delta: str | None, rho: str | None
) -> PureDP | ApproxDP | ZeroConcentratedDP:
    """The promise of an answer."""
    from privet.guarantee.promises import ApproxDP, PureDP, ZeroConcentratedDP

    if rho is not None:
        if epsilon or delta:
            raise BadUsage(
                "--rho is a promise of its own.", "Give either --rho, or --epsilon with or without --delta."
            )
        return ZeroConcentratedDP(rho)
    if epsilon is None:
        raise BadUsage(
            "an answer needs a promise.", "Add --epsilon 0.5 (and --delta 1e-7 if groups are not public)."
        )
    return ApproxDP(epsilon, delta) if delta is not None else PureDP(epsilon)


def file_of(data: str) -> Path:
    """The file of the data, without the table named after `#`."""
    from privet.engine.opening import split_file

    return split_file(data)[0]


def check_outputs(data: str, out: Path | None, card: Path | None) -> None:
    """Refuse impossible outputs before anything is spent."""
    if out and out.suffix not in (".json", ".parquet"):
        raise BadUsage(
            f"an answer cannot be saved as {out.name}.", "Use a name that ends in .json or .parquet."
        )
    if card and card.suffix not in (".html", ".htm"):
        raise BadUsage(f"a card cannot be saved as {card.name}.", "Use a name that ends in .html.")
    from privet.artifact.removal import refuse_ledgers

    for path in (out, card):
        if path:
            refuse_ledgers(path)
        if path and not path.resolve().parent.is_dir():
            raise BadUsage(
                f"the folder of {path.name} does not exist.", "Create it first; nothing was spent."
            )
        if path and path.is_dir():
            raise BadUsage(f"{path.name} is a folder.", "Name a file; nothing was spent.")
        if path and "://" not in data and path.resolve() == file_of(data).resolve():
            raise BadUsage("the answer would be written over the data.", "Give it another name.")

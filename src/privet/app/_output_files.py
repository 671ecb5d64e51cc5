"""Files that commands are asked to write: what is impossible is refused before anything is spent."""

from __future__ import annotations

from pathlib import Path

from privet.errors import BadUsage


def file_of(data: str) -> Path:
    """The file of the data, without the table named after `#`."""
    from privet.engine import split_file

    return split_file(data)[0]


def _endings_hint(endings: tuple[str, ...]) -> str:
    """How names end; an empty ending stands for a folder, which is no ending to type."""
    named = " or ".join(one for one in endings if one)
    if not named:
        return "Name a folder, without an ending."
    return f"Use a name that ends in {named}" + (
        ", or for a folder one without an ending." if "" in endings else "."
    )


def check_outputs(
    data: str,
    out: Path | None,
    card: Path | None,
    *,
    endings: tuple[str, ...] = (".json", ".parquet"),
    own: str = "",
) -> None:
    """Refuse impossible outputs before anything is spent. A folder that is there is replaced where it holds the file `own`."""
    if out and out.suffix not in endings:
        raise BadUsage(f"what is made cannot be saved as {out.name}.", _endings_hint(endings))
    if card and card.suffix not in (".html", ".htm"):
        raise BadUsage(f"a card cannot be saved as {card.name}.", "Use a name that ends in .html.")
    from privet.artifact import refuse_ledgers

    for path in (out, card):
        if path:
            refuse_ledgers(path)
        if path and not path.resolve().parent.is_dir():
            raise BadUsage(
                f"the folder of {path.name} does not exist.", "Create it first; nothing was spent."
            )
        if path and path.is_dir() and "" not in endings:
            raise BadUsage(f"{path.name} is a folder.", "Name a file; nothing was spent.")
        if path and path.is_dir() and any(path.iterdir()) and not (path / own).is_file():
            raise BadUsage(
                f"there is a folder {path.name} already, with other things in it.",
                "Name a new one; nothing was spent.",
            )
        if path and "://" not in data and path.resolve() == file_of(data).resolve():
            raise BadUsage("the answer would be written over the data.", "Give it another name.")

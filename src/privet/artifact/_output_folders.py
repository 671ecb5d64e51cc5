"""Where an output lies: what is for its owner alone in `owner/`, what may be given away in `public/`, said in one place.

The folder is chosen by the type of what is written (`privet.artifact._audience`), never by a name or a flag. The folder of
the outputs is made for its owner alone; whoever wants others to look into `public/` where it stands opens it for them, or
hands on a copy.
"""

from __future__ import annotations

from pathlib import Path

from privet.artifact._atomic_write import own_folder, private_folder
from privet.artifact._audience import For, OwnerOnly, Publishable
from privet.artifact._confined_paths import inside, is_plain

OWNER, PUBLIC = "owner", "public"


def output_name(what: For[str]) -> str:
    """The name of an output under the folder of all of them: `owner/run.json`, `public/beds.json`."""
    return f"{PUBLIC if isinstance(what, Publishable) else OWNER}/{what.content}"


def output_place(out: Path, what: For[str]) -> Path:
    """Where an output lies, whether it stands there or not; refused where a link is on the way."""
    return inside(out, output_name(what), folders=True)


def is_output_name(name: object) -> bool:
    """Whether this is the name of an output: plain, and in one of the two folders."""
    if not isinstance(name, str) or not is_plain(name, folders=True):
        return False
    folder, _, rest = name.partition("/")
    return folder in (OWNER, PUBLIC) and is_plain(rest)


def output_folders(out: Path) -> Path:
    """Make the folder of the outputs and the two in it, where they are not there. The owner's is closed to everybody else."""
    own_folder(out)
    private_folder(inside(out, OWNER))
    own_folder(inside(out, PUBLIC), shared=True)
    return out


def outputs_around(record: Path) -> Path:
    """The folder of the outputs that the record of a run belongs to; of one that lies elsewhere, the folder it lies in."""
    around = record.parent.parent
    # Somebody's folder may be called "owner" as well: that of a run has its other one beside it.
    return around if record.parent.name == OWNER and (around / PUBLIC).is_dir() else record.parent


def for_audience(name: str, *, public: bool) -> For[str]:
    """The name of a report, for those that the report says it is for."""
    return Publishable(name, "built from what may be told") if public else OwnerOnly(name)

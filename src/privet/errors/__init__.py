"""Every exception Privet raises: a code, a fact, a hint and a documentation page.

The *fact* says what is wrong and where; the *hint* says what to do about it. Neither ever carries a raw
value from a data set: rows and columns are named by number and name only. Each code has one page,
`docs/errors/<code>.md`, and a test keeps the two sets equal.

`kinds` holds the groups, which decide the exit code; each other module holds the errors of one part of the
house. Import them all from here.
"""

from __future__ import annotations

from privet.errors.anonymizing import *
from privet.errors.attacks import *
from privet.errors.audits import *
from privet.errors.datasets import *
from privet.errors.disclosures import *
from privet.errors.engines import *
from privet.errors.examples import *
from privet.errors.exit_codes import *
from privet.errors.general import *
from privet.errors.guarantees import *
from privet.errors.kinds import *
from privet.errors.kinds import PrivetError as _PrivetError
from privet.errors.ledgers import *
from privet.errors.mechanisms import *
from privet.errors.pipelines import *
from privet.errors.releases import *
from privet.errors.sources import *
from privet.errors.training import *
from privet.errors.transforms import *


def catalogue() -> dict[str, type[_PrivetError]]:
    """All codes with their classes, in order."""
    found: dict[str, type[_PrivetError]] = {}
    todo: list[type[_PrivetError]] = [_PrivetError]
    while todo:
        cls = todo.pop()
        todo.extend(cls.__subclasses__())
        if cls.code and cls.__module__.startswith(f"{__name__}."):
            found[cls.code] = cls
    return dict(sorted(found.items()))

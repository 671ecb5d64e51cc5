"""Every exception Privet raises: a code, a fact, a hint and a documentation page.

The *fact* says what is wrong and where; the *hint* says what to do about it. Neither ever carries a raw
value from a data set: rows and columns are named by number and name only. Each code has one page,
`docs/errors/<code>.md`, and a test keeps the two sets equal.

Groups of errors decide the exit code; the errors of each part of the house stand together. Import them all from here.

One raises the class whose code says it, with a fact and a hint.
Never: a value from a data set in a fact or a hint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet._front_door import front_door
from privet.errors._anonymization_errors import *
from privet.errors._attack_errors import *
from privet.errors._audit_errors import *
from privet.errors._collection_errors import *
from privet.errors._dataset_errors import *
from privet.errors._disclosure_errors import *
from privet.errors._engine_errors import *
from privet.errors._error_kinds import *
from privet.errors._error_kinds import PrivetError as _PrivetError
from privet.errors._evidence_errors import *
from privet.errors._example_errors import *
from privet.errors._exit_codes import *
from privet.errors._federation_errors import *
from privet.errors._general_errors import *
from privet.errors._guarantee_errors import *
from privet.errors._ledger_errors import *
from privet.errors._mechanism_errors import *
from privet.errors._pac_errors import *
from privet.errors._pipeline_errors import *
from privet.errors._query_errors import *
from privet.errors._secret_errors import *
from privet.errors._shield_errors import *
from privet.errors._source_errors import *
from privet.errors._synthesis_errors import *
from privet.errors._training_errors import *
from privet.errors._transform_errors import *

if TYPE_CHECKING:
    from privet.errors._argument_checks import checked as checked
    from privet.errors._argument_checks import checked_as as checked_as
    from privet.errors._argument_checks import checked_class as checked_class
    from privet.errors._argument_checks import checked_names as checked_names
    from privet.errors._error_pages import page_of as page_of
    from privet.errors._near_names import did_you_mean as did_you_mean
    from privet.errors._remarks import listening as listening
    from privet.errors._remarks import remark as remark
    from privet.errors._value_kinds import is_one_of as is_one_of
else:
    __getattr__, _, _ = front_door(__name__, __file__)


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

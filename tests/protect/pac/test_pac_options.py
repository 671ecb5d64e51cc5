"""The keywords of a PAC release are those of its functions, and the default number of worlds is one that a secret can be drawn from."""

import inspect

from privet.mechanism import SecretWorld
from privet.protect.pac import PacOptions, PacPlanned, make_pac_plan
from privet.protect.pac._pac_options import WORLDS


def test_what_may_be_said_is_what_is_taken() -> None:
    taken = set(inspect.signature(make_pac_plan).parameters) - {"applied", "promise"}
    assert set(PacPlanned.__annotations__) == taken
    assert set(PacOptions.__annotations__) >= {"purpose", "analyst", "again", "progress"}


def test_the_default_is_a_number_of_worlds() -> None:
    assert SecretWorld.fresh(WORLDS).worlds == WORLDS

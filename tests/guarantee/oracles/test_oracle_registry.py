"""All oracles by kind: every class is there under its own kind."""

import pytest

from privet.errors import UnknownRecord
from privet.guarantee.oracles import ORACLES, Oracle, oracle_class


def concrete(cls: type[Oracle]) -> set[type[Oracle]]:
    below = set().union(*(concrete(one) for one in cls.__subclasses__()), set())
    return below | ({cls} if cls.kind else set())


def test_every_oracle_is_known_by_its_kind() -> None:
    assert concrete(Oracle) == set(ORACLES.values())
    assert all(oracle_class(kind) is cls and cls.title for kind, cls in ORACLES.items())


@pytest.mark.parametrize("kind", ["laplace", "", None, ["grr"], 5])
def test_what_is_unknown_is_refused(kind) -> None:
    with pytest.raises(UnknownRecord):
        oracle_class(kind)

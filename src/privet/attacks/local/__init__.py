"""Attacks on clients of local differential privacy: their epsilon, reports over time, pools, correlation, poisoning.

One calls: them by their names through `privet.attacks.attack`, on a `LocalClient`.
Never: believes the specification where the client itself can be asked.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door
from privet.attacks.local import _attribute_correlation as correlation
from privet.attacks.local import _fake_reports as fakes
from privet.attacks.local import _local_epsilon as epsilon
from privet.attacks.local import _pool_inference as pools
from privet.attacks.local import _report_averaging as report_averaging
from privet.attacks.local._local_client import LocalClient as LocalClient
from privet.attacks.local._local_client import is_client as is_client

if TYPE_CHECKING:
    from privet.attacks.local._local_client import LocalClient as LocalClient
    from privet.attacks.local._local_client import is_client as is_client
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)

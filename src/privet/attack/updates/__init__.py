"""Attacks on recorded updates of federated training: gradient inversion."""

from privet.attack.updates import inversion
from privet.attack.updates.recorded import Update

__all__ = ["Update", "inversion"]

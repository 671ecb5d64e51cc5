"""The data set: its sources, privacy unit, roles, bounds, purposes, retention and its one ledger.

The gate of every verb: rows come from a data set, on its terms, or they do not come.
"""

from privet.dataset.data_set import DataSet
from privet.dataset.declaration import Budget, Column, Declaration, Purpose, Source, Unit

__all__ = ["Budget", "Column", "DataSet", "Declaration", "Purpose", "Source", "Unit"]

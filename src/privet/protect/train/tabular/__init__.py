"""Models of tables: public preprocessing, learners behind one table of names, and the verb that books and fits."""

from privet.protect.train.tabular.schema import Known, Schema
from privet.protect.train.tabular.training import train

__all__ = ["Known", "Schema", "train"]

"""How answers are read off noisy vectors: counts, moments, histograms, quantiles, regressions."""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.query.estimators._counts import Reading as Reading
    from privet.protect.query.estimators._histograms import settled as settled
    from privet.protect.query.estimators._registry import ESTIMATORS as ESTIMATORS
    from privet.protect.query.estimators._registry import measures_and_readings as measures_and_readings
    from privet.protect.query.estimators._sql_calls import CallReader as CallReader
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)

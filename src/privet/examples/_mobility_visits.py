"""Made-up visits of people with telephones: where they were on each day, and for how long.

Six weeks of ordinary days, then a week in which people stay at home. Everybody lives in one county, works on
weekdays if at all, and makes a few other visits; so counts by county, state and country can be told apart.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from privet.errors import BadExample

if TYPE_CHECKING:
    import pyarrow as pa

FIRST_DAY = datetime.date(2020, 1, 6)  # a Monday
BASELINE_WEEKS = 5
PLACES = ("grocery", "parks", "retail", "transit")
# The chance of a visit on an ordinary day, and what it is multiplied by when people stay at home.
_CHANCES = {"grocery": 0.35, "parks": 0.15, "retail": 0.40, "transit": 0.30}
_STAYING = {"grocery": 0.80, "parks": 1.30, "retail": 0.45, "transit": 0.40}
_WORK, _WORK_STAYING = 0.85, 0.50


def regions(states: int = 2, counties: int = 4) -> pa.Table:
    """The public list of counties with their state and area in square kilometres; the last one is tiny."""
    import pyarrow as pa

    names = [(f"State {s + 1}", f"County {s + 1}.{c + 1}") for s in range(states) for c in range(counties)]
    areas = [300.0 + 170 * i % 900 for i in range(len(names))]
    areas[-1] = 2.1
    return pa.table(
        {"state": [state for state, _ in names], "county": [county for _, county in names], "area": areas}
    )


def visits(people: int = 4000, days: int = 42, seed: int = 7, states: int = 2, counties: int = 4) -> pa.Table:
    """One row for each place somebody was at on a day: user_day, day, country, state, county, category, hours.

    `user_day` identifies one person on one day, and nothing links the days of a person: that is the unit that
    such reports protect. Counties differ in size; the last is too small to be shown.
    """
    import numpy as np
    import pyarrow as pa

    if people < 1 or days < 1:
        raise BadExample("visits need at least one person and one day.", "Ask for people=4000, days=42.")
    draw = np.random.default_rng(np.random.SeedSequence([seed, people, days]))
    places = regions(states, counties)
    weights = 1 / np.arange(1, places.num_rows + 1) ** 0.8
    home = draw.choice(places.num_rows, people, p=weights / weights.sum())
    works = draw.random(people) < 0.6
    parts: list[tuple[np.ndarray, int, str, np.ndarray]] = []
    for day in range(days):
        staying = day >= 7 * BASELINE_WEEKS
        for category, chance in _CHANCES.items():
            odds = chance * (_STAYING[category] if staying else 1.0)
            who = np.flatnonzero(draw.random(people) < odds)
            parts.append((who, day, category, np.round(draw.gamma(2.0, 0.5, who.size) + 0.1, 1)))
        if day % 7 < 5:
            odds = _WORK * (_WORK_STAYING if staying else 1.0)
            who = np.flatnonzero(works & (draw.random(people) < odds))
            parts.append(
                (who, day, "workplaces", np.round(np.clip(draw.normal(7.5, 1.5, who.size), 0.2, 14), 1))
            )
        hours = draw.normal(13.0 + 3.0 * staying, 2.5, people)
        parts.append((np.arange(people), day, "residential", np.round(np.clip(hours, 0, 24), 1)))
    who = np.concatenate([part[0] for part in parts])
    when = np.concatenate([np.full(part[0].size, part[1]) for part in parts])
    order = draw.permutation(who.size)
    where = home[who]
    table = pa.table(
        {
            "user_day": who.astype(np.int64) * days + when,
            "day": pa.array([FIRST_DAY + datetime.timedelta(days=int(d)) for d in range(days)]).take(when),
            "country": pa.array(["Example"]).take(np.zeros(who.size, np.int64)),
            "state": places["state"].combine_chunks().take(where),
            "county": places["county"].combine_chunks().take(where),
            "category": pa.array([category for part in parts for category in [part[2]] * part[0].size]),
            "hours": np.concatenate([part[3] for part in parts]),
        }
    )
    return table.take(order)

"""The best node among a given number of them, for lattices too large to look at each (no proof).

Best first from the bottom, by cost (Lightning; Prasser et al. 2016): the most promising node is expanded to the
nodes one level above it, and every few expansions a dive follows the best of them to the top. Nodes that cannot be
better than the best, and everything above them, are dropped by their base.
"""

from __future__ import annotations

import heapq

import numpy as np

from privet.errors import BadSearch
from privet.protect.anonymize._privacy_rules import Rules
from privet.protect.anonymize.search._class_check import judge
from privet.protect.anonymize.search._distinct_tuples import Tuples
from privet.protect.anonymize.search._generalization_lattice import Levels
from privet.protect.anonymize.search._loss_metrics import Metric, less, rounded
from privet.protect.anonymize.search._optimal_search import SearchState, Snapshots
from privet.protect.anonymize.search._recoding_solution import Visited

Value = tuple[float, ...]


def anytime(tuples: Tuples, rules: Rules, metric: Metric, limit: int, most_nodes: int) -> SearchState:
    """The best of the nodes looked at; proven where the whole lattice was covered before the number was used up."""
    if most_nodes < 1:
        raise BadSearch("a search looks at one node at least.", "Write most_nodes=5000.")
    return _Search(tuples, rules, metric, limit, most_nodes).run()


class _Search:
    def __init__(self, tuples: Tuples, rules: Rules, metric: Metric, limit: int, most_nodes: int) -> None:
        self.tuples, self.rules, self.metric, self.limit = tuples, rules, metric, limit
        self.most_nodes = most_nodes
        self.heights = tuples.lattice.heights
        self.snapshots = Snapshots(tuples)
        self.found = SearchState()
        self.seen: set[Levels] = set()
        self.queue: list[tuple[Value, Levels]] = []

    def run(self) -> SearchState:
        """Looks at the top first, so that there is something to show, then from the bottom up."""
        self._look(self.heights)
        self._look((0,) * len(self.heights))
        every = max(1, sum(self.heights))
        turn = 0
        while self.queue and len(self.found.visited) < self.most_nodes:
            turn += 1
            levels = heapq.heappop(self.queue)[1]
            following = self._expand(levels)
            while turn % every == 0 and following and len(self.found.visited) < self.most_nodes:
                following = self._expand(min(following)[1])
        self.found.proven = not self.queue
        return self.found

    def _expand(self, levels: Levels) -> list[tuple[Value, Levels]]:
        """Looks at the nodes one level above."""
        above: list[tuple[Value, Levels]] = []
        for at, height in enumerate(self.heights):
            if levels[at] < height:
                next_up = (*levels[:at], levels[at] + 1, *levels[at + 1 :])
                if len(self.found.visited) >= self.most_nodes:
                    heapq.heappush(self.queue, ((0.0,), levels))  # not everything above was looked at
                    return above
                value = self._look(next_up)
                if value is not None:
                    above.append((rounded(value), next_up))
        return above

    def _look(self, levels: Levels) -> Value | None:
        """Evaluates a node; None where it was seen, or where nothing above it can be better."""
        if levels in self.seen:
            return None
        self.seen.add(levels)
        classes = self.snapshots.classes(levels)
        verdict = judge(self.tuples, classes, self.rules)
        if verdict is None:
            heapq.heappush(self.queue, ((np.inf,), levels))
            return (np.inf,)
        cost = self.metric.cost(classes, verdict)
        value = self.metric.score(cost.base + cost.penalty)
        rows = int(classes.sizes[verdict.suppressed].sum())
        kept = int((~verdict.suppressed & (classes.sizes > 0)).sum())
        self.found.visited.append(Visited(levels, value[0], rows, kept, rows <= self.limit))
        if rows <= self.limit and (self.found.value is None or less(value, self.found.value)):
            self.found.value, self.found.classes, self.found.verdict = value, classes, verdict
        base = [np.asarray(part) for part in cost.base]
        if not self.metric.better(base, self.found.value).any():
            return None
        heapq.heappush(self.queue, (rounded(value), levels))
        return value

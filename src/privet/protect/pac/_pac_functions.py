"""Ready-made functions for PAC releases, each in the variant that needs least noise, with a note why.

What varies little between halves needs little noise: stability buys privacy. So scales come from public bounds, starts and
references are public, models are regularised, trees are pruned, and outputs are brought into one form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from privet.errors import BadFunction, checked
from privet.protect.pac._function_declarations import DECLARED, number, whole
from privet.source import BlackBox, ColumnFacts, ReadyMade

POINTS = 32


@dataclass(frozen=True, eq=False)
class PacFunction(ReadyMade):
    """A ready-made function for `Table.apply`, to be released under `PacPrivacy`. Made by its methods, one for each function.

    `table.apply(PacFunction.kmeans(3), columns=["age", "cost"])` is what `release`, `explain` and `stability` take. Each comes
    in the variant that needs least noise; its note says why. `read` of what `apply` gave back makes something to use of a
    released output: a model that predicts, a matrix, labels of the public points.
    """

    kind: str
    settings: dict[str, Any] = field(default_factory=dict)
    target: str | None = None

    @property
    def name(self) -> str:
        """What it is called."""
        return self.kind.replace("_", " ")

    @property
    def beside(self) -> tuple[str, ...]:
        """Its target, if it has one."""
        return () if self.target is None else (self.target,)

    def declared(self, columns: Sequence[ColumnFacts]) -> BlackBox:
        """The function on these columns."""
        return DECLARED[self.kind](columns, self.settings)

    def __repr__(self) -> str:
        return f"PacFunction.{self.kind}"

    @staticmethod
    @checked
    def means() -> PacFunction:
        """The mean of each column, for all worlds in one pass of the engine."""
        return PacFunction("means")

    @staticmethod
    @checked
    def quantiles(at: Sequence[float] = (0.25, 0.5, 0.75)) -> PacFunction:
        """Quantiles of each column, as weighted means of all order statistics (Harrell and Davis 1982)."""
        found = tuple(number(share, "at", 0, 1) for share in at)
        if not found or len(set(found)) < len(found) or 1.0 in found:
            raise BadFunction(
                "at lists shares between 0 and 1, each once.", "Write at=[0.25, 0.5, 0.75].", faults=[]
            )
        return PacFunction("quantiles", {"at": tuple(sorted(found))})

    @staticmethod
    @checked
    def covariance() -> PacFunction:
        """The covariance matrix of the columns."""
        return PacFunction("covariance")

    @staticmethod
    @checked
    def histogram(bins: int = 10) -> PacFunction:
        """The share of each public bin of each column: intervals between its bounds, or its public values."""
        return PacFunction("histogram", {"bins": whole(bins, "bins", 2, 1_000)})

    @staticmethod
    @checked
    def kmeans(clusters: int, *, start: Any = None, pull: float = 5) -> PacFunction:
        """The centres of k-means from a public start.

        Args:
            clusters: How many.
            start: Public centres to begin at, one row for each; without them, evenly along the diagonal of the bounds.
            pull: Each centre is drawn to its start as by so many people there.
        """
        settings = {
            "clusters": whole(clusters, "clusters", 2, 100),
            "start": start,
            "pull": number(pull, "pull", 0, 1e9),
        }
        return PacFunction("kmeans", settings)

    @staticmethod
    @checked
    def pca(components: int, *, reference: Any = None) -> PacFunction:
        """Principal components of the columns, scaled by their bounds.

        Args:
            components: How many.
            reference: Public directions, one row for each: those found are turned to fit them (Procrustes). Without them the
                covariance matrix leaves, and `read` finds the components in it.
        """
        return PacFunction(
            "pca", {"components": whole(components, "components", 1, 100), "reference": reference}
        )

    @staticmethod
    @checked
    def ridge(target: str, *, strength: float = 0.1) -> PacFunction:
        """Ridge regression of a number; `strength` is the penalty per row."""
        return PacFunction("ridge", {"strength": number(strength, "strength", 0, 1e6)}, target)

    @staticmethod
    @checked
    def logistic_regression(
        target: str, *, classes: Sequence[Any] | None = None, strength: float = 0.1
    ) -> PacFunction:
        """Logistic regression of two or more classes; `strength` is the penalty per row."""
        settings = {"classes": classes, "strength": number(strength, "strength", 0, 1e6)}
        return PacFunction("logistic_regression", settings, target)

    @staticmethod
    @checked
    def svm(target: str, *, classes: Sequence[Any] | None = None, strength: float = 0.1) -> PacFunction:
        """A linear support vector machine for two or more classes; `strength` is the penalty per row."""
        settings = {"classes": classes, "strength": number(strength, "strength", 0, 1e6)}
        return PacFunction("svm", settings, target)

    @staticmethod
    @checked
    def decision_tree(
        target: str, *, points: Any = POINTS, classes: Sequence[Any] | None = None, depth: int = 2
    ) -> PacFunction:
        """What a pruned decision tree says of public points: rows with the columns, or how many to spread between the bounds."""
        settings = {"classes": classes, "points": points, "depth": whole(depth, "depth", 1, 30), "trees": 1}
        return PacFunction("decision_tree", settings, target)

    @staticmethod
    @checked
    def forest(
        target: str,
        *,
        points: Any = POINTS,
        classes: Sequence[Any] | None = None,
        depth: int = 3,
        trees: int = 50,
    ) -> PacFunction:
        """What a forest of pruned trees says of public points: rows with the columns, or how many to spread between the bounds."""
        settings = {
            "classes": classes,
            "points": points,
            "depth": whole(depth, "depth", 1, 30),
            "trees": whole(trees, "trees", 2, 10_000),
        }
        return PacFunction("forest", settings, target)

    @staticmethod
    @checked
    def responses(
        estimator: Any,
        target: str,
        *,
        points: Any = POINTS,
        classes: Sequence[Any] | None = None,
        labels: bool = False,
    ) -> PacFunction:
        """What any classifier of scikit-learn's kind says of public points: probabilities, or with `labels` the class alone."""
        if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")) or isinstance(
            estimator, type
        ):
            raise BadFunction(
                "an estimator has fit, predict and get_params.", "Write GaussianNB(), for example.", faults=[]
            )
        settings = {"estimator": estimator, "classes": classes, "points": points, "labels": labels}
        return PacFunction("responses", settings, target)

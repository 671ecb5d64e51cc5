"""Probabilistic linkage by splink 5 on an embedded engine: an optional extra, for the owner's audit only.

splink trains its own Fellegi-Sunter model. It is given integer codes, never values, so that what it writes into
the engine or logs holds none; its tables are dropped at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine._connections import alone
from privet.engine._error_guard import guarded
from privet.engine._silenced_libraries import quiet
from privet.errors import MissingExtra

if TYPE_CHECKING:
    from privet.engine._relation import Relation

_RANDOM_PAIRS = 1_000_000
Found = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def available() -> bool:
    """Whether splink is installed."""
    return find_spec("splink") is not None


def linked(
    relation: Relation,
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    blocks: Sequence[Sequence[int]],
    *,
    least: float,
) -> Found:
    """Pairs of row numbers and the probability that both are of one person, where that is at least `least`.

    `left` and `right` hold codes by column, -1 for a missing value; `blocks` are the sets of columns on which
    candidates agree. The work is done on the relation's own connection.
    """
    if not available():
        raise MissingExtra("splink is not installed.", "Install it: pip install 'privet[linkage]'.")
    import splink.comparison_library  # noqa: F401  its loggers must be there to be silenced

    backend = relation.table.get_backend()
    with guarded("linking by splink"), alone(backend), quiet("splink", "sqlglot"):
        return _run(backend.con, left, right, blocks, least)


def _run(
    connection: Any,
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    blocks: Sequence[Sequence[int]],
    least: float,
) -> Found:
    import splink.comparison_library as library
    from splink import Linker, SettingsCreator, block_on
    from splink.backends.duckdb import DuckDBAPI

    names = [f"c{at}" for at in range(left.shape[1])]
    rules: list[Any] = [block_on(*(names[at] for at in block)) for block in blocks]
    compared: list[Any] = [
        library.ExactMatch(name).configure(term_frequency_adjustments=True) for name in names
    ]
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=compared,
        blocking_rules_to_generate_predictions=rules,
        retain_matching_columns=False,
    )
    before = _tables(connection)
    engine: Any = DuckDBAPI(connection)
    sides = [
        engine.register(_arrow(codes, names), table_name=f"privet_{side}")
        for side, codes in (("left", left), ("right", right))
    ]
    linker: Any = Linker(sides, settings, log_level=None)
    try:
        linker.training.estimate_probability_two_random_records_match([block_on(*names)], recall=0.9)
        linker.training.estimate_u_using_random_sampling(max_pairs=_RANDOM_PAIRS, seed=1)
        for rule, block in zip(rules, blocks, strict=True):
            if len(block) < len(names):
                linker.training.estimate_parameters_using_expectation_maximisation(rule)
        found = linker.inference.predict(threshold_match_probability=least).as_pyarrow_table()
    finally:
        engine.delete_tables_created_by_splink_from_db()
        for name in _tables(connection) - before:
            connection.unregister(name)
            connection.execute(f'DROP TABLE IF EXISTS "{name}"')
    return (
        np.asarray(found["unique_id_l"].to_numpy(), np.int64),
        np.asarray(found["unique_id_r"].to_numpy(), np.int64),
        np.asarray(found["match_probability"].to_numpy(), np.float64),
    )


def _tables(connection: Any) -> set[str]:
    return {str(name) for (name,) in connection.execute("SHOW TABLES").fetchall()}


def _arrow(codes: NDArray[np.int32], names: Sequence[str]) -> Any:
    import pyarrow as pa

    columns = {
        name: pa.array(codes[:, at].astype(np.int64), mask=codes[:, at] < 0) for at, name in enumerate(names)
    }
    return pa.table({"unique_id": np.arange(len(codes)), **columns})

"""How good a twin is: the one function that people call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import ReleasedTwin
from privet.disclosure import whole_numbers
from privet.engine import fetch
from privet.errors import BadSynthesis, checked
from privet.protect.synthesize.evolution import Images, SampleEmbedder, points_of
from privet.protect.synthesize.fidelity._embedding_overlap import EmbeddingOverlap, overlap
from privet.protect.synthesize.fidelity._text_comparison import compared
from privet.protect.synthesize.fidelity._total_variation import distances, total_variation
from privet.protect.synthesize.fidelity._train_on_twin import usefulness
from privet.protect.synthesize.fidelity._twin_codes import coded, shared_columns
from privet.protect.synthesize.fidelity._twin_fidelity import ColumnShares, TwinFidelity
from privet.source import Table, admitted_by, open_table

if TYPE_CHECKING:
    import pyarrow as pa

BINS = 20
MOST_SAMPLES = 5_000  # texts or pictures that are embedded on either side
_SAMPLED = ("text", "image")  # kinds of columns that are compared by an embedder


@checked
def fidelity(
    twin: ReleasedTwin,
    holdout: Any,
    *,
    training: Any = None,
    target: str | None = None,
    embedder: SampleEmbedder | None = None,
    bins: int = BINS,
) -> TwinFidelity:
    """Measure how near a twin is to real rows and what it is good for. For the owner of the data alone.

    Args:
        twin: what `synthesize` made.
        holdout: rows of the same kind that were kept apart from it: a table, a file or a frame; of pictures, `Images`.
        training: the rows that the twin was made from, if they shall be looked at too: for models trained on real rows,
            and for how far real rows differ by chance. Without them the hold-out serves for both, in halves.
        target: a column to predict: models learn it from the twin and are tried on the hold-out.
        embedder: where texts or pictures lie; precision, recall and the Fréchet distance are of this embedder.
        bins: of a number or date, where it has more values than that.

    Everything in the result was computed exactly, on real people's rows, and is covered by no promise: nothing is booked
    and nothing may be published. What may be is the twin's own record.
    """
    if bins < 2:
        raise BadSynthesis("a number gets at least two bins.", f"Leave bins out for {BINS}.")
    rows = twin.to_arrow()
    sampled = [one.name for one in twin.columns if one.kind == "image"]
    if sampled or isinstance(holdout, Images):
        return _of_pictures(twin, rows, holdout, embedder)
    real = _real(holdout, twin, "holdout")
    known = None if training is None else _real(training, None, "training")
    names = shared_columns(rows, real, [column.name for column in twin.columns])
    texts = _texts(twin, rows, names)
    tabular = [name for name in names if name not in texts]
    halves = _halves(real) if known is None else (known, real)
    found = _tabular(rows, real, halves, tabular, bins)
    words = compared(_strings(rows, texts), _strings(real, texts)) if texts else None
    seen = None
    if texts and embedder is not None:
        seen = _embedded(embedder, *(_strings(one, texts) for one in (rows, real, *_halves(real))))
    useful = () if target is None else usefulness(rows, *_reference(known, real), target, tabular)
    return TwinFidelity(
        **_general(twin, _keys(rows, names), _keys(real, names), trained=known is not None),
        marginals=found[0],
        columns=found[1],
        target=target,
        usefulness=useful,
        embedding=seen,
        texts=words,
        notes=_notes(seen, trained=known is not None),
    )


def _general(
    twin: ReleasedTwin, made: Sequence[Any], real: Sequence[Any], *, trained: bool
) -> dict[str, Any]:
    """What is said of every twin, from what makes its rows, and the real ones, the same or not."""
    apart = set(real)
    return {
        "method": twin.method,
        "sentence": twin.sentence(),
        "rows": (len(made), len(real)),
        "measured_on": _said(len(real), trained=trained),
        "duplicates": (_repeated(made), _repeated(real)),
        "copies": sum(key in apart for key in made) / max(1, len(made)),
    }


def _tabular(
    rows: pa.Table,
    real: pa.Table,
    halves: tuple[pa.Table, pa.Table],
    names: Sequence[str],
    bins: int,
) -> tuple[Any, tuple[ColumnShares, ...]]:
    if not names:
        return (), ()
    found, (fake, true, first, second) = coded(rows, [real, *halves], names, bins)
    sizes = [one.size for one in found]
    shares = tuple(
        ColumnShares(
            one.name,
            one.labels,
            _shares(fake[:, at], one.size),
            _shares(true[:, at], one.size),
            total_variation(fake[:, [at]], true[:, [at]], [one.size]),
        )
        for at, one in enumerate(found)
    )
    return distances(fake, true, sizes, list(names), others=(first, second)), shares


def _of_pictures(
    twin: ReleasedTwin, rows: pa.Table, holdout: Any, embedder: SampleEmbedder | None
) -> TwinFidelity:
    """Pictures are compared where an embedder puts them."""
    if not isinstance(holdout, Images) or "image" not in rows.column_names:
        raise BadSynthesis(
            "a twin of pictures is compared with pictures.",
            "Give holdout=Images(…), kept apart from the twin.",
        )
    if embedder is None:
        raise BadSynthesis("pictures are compared by an embedder.", "Give embedder=Pixels(), for example.")
    real = np.asarray(holdout.samples(None).samples, np.float32)
    fake = np.array(rows.column("image").to_pylist(), np.float32).reshape(rows.num_rows, *real.shape[1:])
    side = _side(len(real))
    seen = _embedded(embedder, fake, real, real[side == 0], real[side == 1])
    keys, others = ([one.tobytes() for one in part] for part in (fake, real))
    return TwinFidelity(
        **_general(twin, keys, others, trained=False), embedding=seen, notes=_notes(seen, trained=False)
    )


def _embedded(embedder: SampleEmbedder, fake: Any, real: Any, first: Any, second: Any) -> EmbeddingOverlap:
    if embedder.remote is not None:
        raise BadSynthesis(
            "real samples would be sent away to be embedded, for a figure that can be had here.",
            "Give an embedder that runs on this machine.",
        )
    places = [points_of(embedder, part[:MOST_SAMPLES]).astype(float) for part in (fake, real, first, second)]
    name = ", ".join(embedder.described().values())
    return overlap(places[0], places[1], (places[2], places[3]), name)


def _real(rows: Any, twin: ReleasedTwin | None, which: str) -> pa.Table:
    """Real rows, in the owner's hands; those that the twin was made from do not pass for a hold-out."""
    import pyarrow as pa

    admitted_by(rows, "report")
    if isinstance(rows, pa.Table):
        found = rows
    else:
        table = rows if isinstance(rows, Table) else open_table(rows)
        if twin is not None and table.fingerprint == twin.provenance.data:
            raise BadSynthesis(
                "these are the rows that the twin was made from: they show how well it remembers, not how good it is.",
                "Keep some rows apart before you synthesize, in a file of their own.",
            )
        found = fetch(table.relation.table, table.relation.engine)
    if not found.num_rows:
        raise BadSynthesis(f"there are no rows in the {which}.", "Give some.")
    return found.combine_chunks()


def _texts(twin: ReleasedTwin, rows: pa.Table, names: Sequence[str]) -> list[str]:
    """Columns of free text: of an evolved twin, those that are no label."""
    kinds = {column.name: column.kind for column in twin.columns}
    texts = [name for name in names if kinds[name] in _SAMPLED]
    # The label of a twin of texts is text too, and has few values.
    few = [name for name in texts if len(rows.column(name).unique()) <= max(2, min(50, rows.num_rows // 4))]
    return [name for name in texts if name not in few] or texts[:1]


def _strings(table: pa.Table, names: Sequence[str]) -> list[str]:
    return ["" if one is None else str(one) for one in table.column(names[0]).to_pylist()]


def _halves(real: pa.Table) -> tuple[pa.Table, pa.Table]:
    side = _side(real.num_rows)
    return real.filter(side == 0), real.filter(side == 1)


def _side(many: int) -> NDArray[np.int64]:
    """Which half each row is in: read off a hash, so that figures come out the same twice."""
    return (
        np.argsort(whole_numbers("halves of the rows kept apart", many, 2**32), kind="stable").argsort() % 2
    )


def _reference(known: pa.Table | None, real: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Real rows to learn from, and those to test on."""
    return _halves(real) if known is None else (known, real)


def _shares(codes: NDArray[np.int64], size: int) -> tuple[float, ...]:
    return tuple((np.bincount(codes, minlength=size) / max(1, len(codes))).tolist())


def _keys(table: pa.Table, names: Sequence[str]) -> list[Any]:
    columns = [table.column(name).to_pylist() for name in names]
    return list(zip(*columns, strict=True)) if columns else []


def _repeated(keys: Sequence[Any]) -> float:
    return 1 - len(set(keys)) / len(keys) if keys else 0.0


def _said(rows: int, *, trained: bool) -> str:
    apart = f"{rows:,} real rows that were kept apart from it"
    return f"{apart}, and the rows that it was made from" if trained else apart


def _notes(seen: EmbeddingOverlap | None, *, trained: bool) -> tuple[str, ...]:
    said = [
        "By chance: what two halves of the rows kept apart differ by, which are smaller than the whole."
        if not trained
        else "By chance: what the rows kept apart differ by from those that the twin was made from."
    ]
    if seen is not None and min(seen.points) <= seen.dimensions:
        said.append(
            "There are fewer samples than dimensions: the Fréchet distance is too rough to compare twins by."
        )
    return tuple(said)

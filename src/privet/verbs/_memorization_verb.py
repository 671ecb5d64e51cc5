"""What a language model memorized: what asking it takes, and what has to be done before training so that it can be asked.

Everything here is for the owner of the texts: figures are scored with the truth, and canaries are secrets until they were looked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from privet.artifact import OwnerOnly, written_whole
from privet.errors import BadUsage
from privet.verbs._verb_options import Flag, Options

if TYPE_CHECKING:
    from privet.attacks import AttackReport
    from privet.attacks.memorization import CanaryRecord, TextDuplicates

Say = Callable[[str, int, int], None]


class MemorizationOptions(Options):
    """Which model is asked, and for what."""

    model: Annotated[
        str,
        Field(
            min_length=1,
            description="The folder of a causal language model, ours or any that transformers loads.",
        ),
        Flag(argument=True, example="model"),
    ]
    trained: Annotated[
        str,
        Field(description="The texts that it was trained on: a table, or lines of text."),
        Flag(file="in", example="notes.jsonl"),
    ]
    control: Annotated[
        str,
        Field(description="Texts like them that it was not trained on."),
        Flag(file="in", example="other.jsonl"),
    ]
    text: Annotated[
        str | None,
        Field(description="The column that holds the texts [default: the only one of text]."),
        Flag(example="note"),
    ] = None
    canaries: Annotated[
        str | None,
        Field(description="The record of canaries that were planted before training."),
        Flag(file="in", example="canaries.json"),
    ] = None
    reference: Annotated[
        str | None,
        Field(description="The folder of a model that was not trained on them, to compare with."),
        Flag(file="in", example="public-model"),
    ] = None
    shadows: Annotated[
        int, Field(ge=0, le=256, description="Small models to train for LiRA; an even number, 0 for none.")
    ] = 0
    prefix: Annotated[int, Field(ge=1, le=10_000, description="Tokens of a text that are shown.")] = 50
    suffix: Annotated[int, Field(ge=1, le=10_000, description="Tokens that are asked for.")] = 50
    windows: Annotated[int, Field(ge=10, le=10_000_000, description="Texts of each side that are tried.")] = (
        1_000
    )
    seed: Annotated[int, Field(description="For the adversary's own chance.")] = 0
    confidence: Annotated[
        float, Field(ge=0.5, lt=1, description="Of all intervals together."), Flag(example="0.95")
    ] = 0.95


class CanariesOptions(Options):
    """Where canaries are planted."""

    texts: Annotated[
        str,
        Field(min_length=1, description="The texts to train on: a table, or lines of text."),
        Flag(argument=True, file="in", example="notes.jsonl"),
    ]
    record: Annotated[
        str,
        Field(description="Write the record of the canaries here, for your eyes alone."),
        Flag(file="out", example="canaries.json"),
    ]
    out: Annotated[
        str,
        Field(description="Write the texts with canaries among them here (.jsonl)."),
        Flag(names=("-o", "--output"), file="out", example="planted.jsonl"),
    ]
    text: Annotated[
        str | None, Field(description="The column that holds the texts."), Flag(example="note")
    ] = None
    unit: Annotated[
        str | None,
        Field(description="The column of persons or documents: each planted text gets one of its own."),
        Flag(example="patient_id"),
    ] = None
    copies: Annotated[
        dict[int, int],
        Field(description="How many canaries for each number of copies."),
        Flag(example="8=10"),
    ] = Field(default_factory=lambda: {1: 100, 2: 10, 8: 10, 32: 10})
    seed: Annotated[int, Field(description="Of the canaries; another one for every training.")] = 0
    purpose: Annotated[str | None, Field(description="The purpose, where the texts are declared.")] = None


class DuplicatesOptions(Options):
    """Which texts are counted, and whose they are."""

    texts: Annotated[
        str,
        Field(min_length=1, description="The texts to train on: a table, or lines of text."),
        Flag(argument=True, file="in", example="notes.jsonl"),
    ]
    text: Annotated[
        str | None, Field(description="The column that holds the texts."), Flag(example="note")
    ] = None
    unit: Annotated[
        str | None,
        Field(description="The column of persons or documents [default: each text is a unit]."),
        Flag(example="patient_id"),
    ] = None
    likeness: Annotated[
        float,
        Field(ge=0.5, le=1, description="From which share of common three-word shingles texts are near."),
    ] = 0.8
    write: Annotated[
        str | None,
        Field(description="Write the texts here (.jsonl), each once: the first of its near duplicates."),
        Flag(file="out", example="deduplicated.jsonl"),
    ] = None
    out: Annotated[
        str | None,
        Field(description="Write the figures here (.json), for your eyes alone."),
        Flag(names=("-o", "--output"), file="out", example="duplicates.json"),
    ] = None
    purpose: Annotated[str | None, Field(description="The purpose, where the texts are declared.")] = None


def memorization_of(
    options: MemorizationOptions, *, purpose: str | None, promise: Any, say: Say
) -> AttackReport:
    """Ask a model for what it was trained on, in every way there is enough for."""
    from privet.attacks import attack
    from privet.attacks.memorization import CanaryRecord, ShadowTexts, is_language_folder, texts_of

    if options.shadows % 2:
        raise BadUsage("shadow models come in complementary pairs.", "Write --shadows 8.")
    # What is small is read first: whatever is wrong with it is said before a model is loaded.
    more: dict[str, Any] = {"prefix": options.prefix, "suffix": options.suffix, "windows": options.windows}
    if options.canaries is not None:
        more["canaries"] = CanaryRecord.load(options.canaries)
    for place in (*([] if options.reference is None else [options.reference]), options.model):
        if not is_language_folder(Path(place)):
            raise BadUsage(
                f"{Path(place).name} is no folder with a causal model and its tokenizer.",
                "Name a folder with config.json, model.safetensors and the files of the tokenizer.",
            )
    if options.reference is not None:
        more["reference"] = options.reference
    if options.shadows:
        more |= {"recipe": ShadowTexts(), "shadows": options.shadows}
    control = texts_of(options.control, options.text)
    members = _members(options.trained, options.text, purpose)
    return attack(
        options.model,
        members=members,
        control=control,
        promise=promise,
        seed=options.seed,
        confidence=options.confidence,
        progress=say,
        **more,
    )


def _members(place: str, column: str | None, purpose: str | None) -> list[str]:
    """The trained texts; those of a declared data set come on its terms."""
    table, name = _texts(place, column, purpose)
    found: list[str] = list(_each(_with_text(table, name), name))
    return found


def counted_duplicates(options: DuplicatesOptions) -> tuple[TextDuplicates, int]:
    """Count, and write each text once where that is asked for; how many were written."""
    from privet.attacks.memorization import near_duplicates

    table, column = _texts(options.texts, options.text, options.purpose)
    table = _with_text(table, column)
    units = None if options.unit is None else _named(table, options.unit).to_pylist()
    found = near_duplicates(_each(table, column), units, likeness=options.likeness)
    if options.out is not None:
        written_whole(Path(options.out), OwnerOnly(json.dumps(found.to_json(), indent=1) + "\n"))
    if options.write is None:
        return found, 0
    kept = table.filter(found.kept)
    _write_lines(kept, Path(options.write))
    return found, int(kept.num_rows)


def planted_file(options: CanariesOptions) -> tuple[CanaryRecord, int]:
    """Plant canaries among the texts of a file, and write both; how many texts there are then."""
    import pyarrow as pa

    from privet.attacks.memorization import plant_canaries

    table, column = _texts(options.texts, options.text, options.purpose)
    table = _with_text(table, column)
    if options.unit is not None:
        _named(table, options.unit)
    _, record = plant_canaries([], copies=options.copies, seed=options.seed)
    planted = record.planted()
    rows: dict[str, Any] = {column: pa.array(planted, pa.string())}
    if options.unit is not None and options.unit != column:
        rows[options.unit] = pa.array([f"canary {at}" for at in range(len(planted))])
        at = table.column_names.index(options.unit)
        table = table.set_column(at, options.unit, table[options.unit].cast(pa.string()))
    table = table.set_column(table.column_names.index(column), column, table[column].cast(pa.string()))
    mixed = pa.concat_tables([table, pa.table(rows)], promote_options="default")
    record.save(options.record)
    _write_lines(mixed.take(pa.array(record.places(mixed.num_rows), pa.int64())), Path(options.out))
    return record, int(mixed.num_rows)


def _texts(place: str, column: str | None, purpose: str | None) -> tuple[Any, str]:
    """The table of texts, and its column of them. Texts of a declared data set come on its terms."""
    import pyarrow as pa

    from privet.attacks.memorization import text_column, texts_of
    from privet.attacks.tables import rows_of
    from privet.dataset import DataSet
    from privet.source import admitted_by
    from privet.verbs._attack_verb import AttackOptions, AttackVerb
    from privet.verbs._request import Request
    from privet.verbs._request_execution import rows_for

    if Path(place).suffix.lower() == ".txt":
        return pa.table({"text": texts_of(place)}), "text"
    thing: Any = place
    if DataSet.of(place).declaration is not None:
        asked = Request(place, AttackOptions(of=place), purpose=purpose)
        thing, _, _ = rows_for(AttackVerb(), DataSet.of(place), asked)
        admitted_by(thing, "report")
    table = rows_of(thing)
    return table, text_column(table, column)


def _with_text(table: Any, column: str) -> Any:
    """Without rows that have no text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = table.schema.field(column).type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise BadUsage("the column of texts holds something else.", "Name another one: --text note.")
    return table.filter(pc.greater(pc.utf8_length(table[column]), 0))


def _named(table: Any, column: str) -> Any:
    if column not in table.column_names:
        raise BadUsage("there is no such column of units.", "Name one that is there: --unit patient_id.")
    return table[column]


def _each(table: Any, column: str) -> Iterator[str]:
    for chunk in table[column].chunks:
        yield from chunk.to_pylist()


def _write_lines(table: Any, place: Path) -> None:
    """One line of JSON for each row: the owner's texts, for the owner."""

    def fill(path: Path) -> None:
        with path.open("w", encoding="utf-8") as file:
            for batch in table.to_batches(max_chunksize=10_000):
                for row in batch.to_pylist():
                    file.write(json.dumps(row, default=str, ensure_ascii=False) + "\n")

    written_whole(place, OwnerOnly(fill))

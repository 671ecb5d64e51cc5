"""`privet lm train` and `privet lm generate`: a language model of people's texts under a promise, and what it goes on with."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import Field

from privet.app import _terminal as terminal
from privet.app import _verb_command as verb_command
from privet.app._output_files import file_of
from privet.errors import BadUsage
from privet.verbs import (
    MOST_TEXTS,
    RUN,
    BookingOptions,
    Done,
    Flag,
    GenerateOptions,
    Options,
    Request,
    RowsAsked,
    TrainLanguageOptions,
    TrainLanguageVerb,
    carried_out,
    completed,
    forget_completed,
    has_completed,
    mark_completed,
    opened_alone,
    went_on,
)

if TYPE_CHECKING:
    from privet.protect.train.language import ReleasedLanguageModel


class TextsOfOne(Options):
    """How much of one person is read."""

    max_rows: Annotated[
        int | None,
        Field(gt=0, description=f"Texts of one person that are read [default: {MOST_TEXTS}]."),
        Flag(example="20"),
    ] = None


class LanguageOutputs(Options):
    """What to write."""

    out: Annotated[
        Path,
        Field(description="The folder to write the model to."),
        Flag(names=("-o", "--output"), file="out", example="model"),
    ]


def _train(said: verb_command.CommandInput) -> None:
    options, out, rows = said.of(TrainLanguageOptions), said.of(LanguageOutputs).out, said.of(RowsAsked)
    _check_folder(out, rows.data)
    asked = Request.of(options, rows, said.of(TextsOfOne), said.of(BookingOptions))
    if int(
        os.environ.get("RANK", "0")
    ):  # a process that follows: the first one keeps the folder and says what came of it
        carried_out(TrainLanguageVerb(), asked)
        return
    with _taken_up(out) as scratch:
        done = completed(TrainLanguageVerb(), asked, scratch, (out,))
        if done is None:
            _begin_anew(scratch)
            with terminal.progress("training") as step:
                done = carried_out(TrainLanguageVerb(), asked, to=out, say=step, scratch=scratch)
            mark_completed(scratch, asked, done, (out,))
        _forget_run(scratch)
        _say(done, out, as_json=said.as_json)
        sys.stdout.flush()


@contextlib.contextmanager
def _taken_up(out: Path) -> Iterator[Path]:
    """Where a training keeps what it needs to be taken up, beside its model; gone once all that was asked for was said."""
    from privet.artifact import discard_empty, own_folder

    place = own_folder(out.absolute().with_name(f".{out.absolute().name}.training"))
    try:
        yield place
        forget_completed(place)
    finally:
        discard_empty(place)


def _begin_anew(scratch: Path) -> None:
    """What is left of a training that had come to its end, and is not what is asked now, is no part of this one."""
    if has_completed(scratch):
        _forget_run(scratch)
        forget_completed(scratch)


def _forget_run(scratch: Path) -> None:
    """The checkpoints of a training whose model stands; its secrets were destroyed when it ended."""
    from privet.artifact import remove

    remove(scratch / RUN)


def _check_folder(out: Path, data: str) -> None:
    from privet.artifact import RECORD, refuse_ledgers

    if "://" not in data and out.resolve() == file_of(data).resolve():
        raise BadUsage("the model would be written over the data.", "Name a folder; nothing was spent.")
    if not out.resolve().parent.is_dir():
        raise BadUsage(f"the folder around {out.name} does not exist.", "Create it first; nothing was spent.")
    refuse_ledgers(out)
    if out.exists() and not ((out / RECORD).is_file() or (out.is_dir() and not any(out.iterdir()))):
        raise BadUsage(f"{out.name} is there and holds no model.", "Name a new folder; nothing was spent.")


def _say(done: Done, out: Path, *, as_json: bool) -> None:
    made: ReleasedLanguageModel = done.made
    record = made.record
    opened = opened_alone(done)
    facts: dict[str, Any] = {
        **{name: value for name, value in record.to_json().items() if name not in ("plan", "parts")},
        "steps": record.plan["steps"],
        "batch": record.plan["batch"],
        "ledger": str(done.ledger),
        "ledger_note": opened[0] if opened else None,
        "model": str(out),
    }
    lines = [str(made), *record.notes]
    if record.curve:
        first, last = record.curve[0], record.curve[-1]
        lines.append(
            f"loss on public text: {first[1]:.3f} after step {first[0]}, {last[1]:.3f} after step {last[0]}"
        )
    lines += [
        f"booked in {done.ledger}",
        *opened,
        f"saved {out}; ask it: privet lm generate {out}, and what it recites: privet lm memorization {out} …",
    ]
    terminal.emit(facts, "\n".join(lines), plain=str(out), as_json=as_json)


def _generate(said: verb_command.CommandInput) -> None:
    options = said.of(GenerateOptions)
    with terminal.progress("generating"):
        texts, ours = went_on(options)
    promise = "This model carries no promise." if ours is None else ours.record.sentence
    standing = None if ours is None or ours.standing is None else ours.standing.sentence()
    facts = {
        "texts": list(texts),
        "prompt": options.prompt,
        "promise": None if ours is None else ours.promise.to_json(),
        "sentence": promise,
        "standing": standing,
    }
    lines = [*(options.prompt + text for text in texts), "", promise, *([standing] if standing else [])]
    terminal.emit(facts, "\n".join(lines), plain="\n".join(texts), as_json=said.as_json)


def add_to(app: typer.Typer) -> None:
    """The commands, as parts of `privet lm`."""
    app.command(
        "train",
        help="Train a language model on a column of texts under a promise; it is booked whole before a step is taken.",
    )(
        verb_command.command(
            RowsAsked, TextsOfOne, TrainLanguageOptions, BookingOptions, LanguageOutputs, run=_train
        )
    )
    app.command("generate", help="Let a language model go on with a prompt. Costs no budget.")(
        verb_command.command(GenerateOptions, run=_generate)
    )

"""`privet verify`: does this belong to that plan, that budget and those attacks? With the public keys alone, offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.app._terminal import JsonOption, emit
from privet.errors import EvidenceBroken, NotProven

if TYPE_CHECKING:
    from privet.pipeline import VerifiedEvidence


def command(
    where: Annotated[
        Path,
        typer.Argument(
            metavar="WHERE", help="The folder of a run's outputs, a model's folder, or one file of them."
        ),
    ],
    *,
    key: Annotated[
        Path | None,
        typer.Option("--key", help="The data set's public keys, as `privet keys public` wrote them."),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option("--ledger", help="The data set's ledger, to hold anchors and receipts against."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check that a table, a model, an answer, a report or a whole run is what the data set's key signed. Changes nothing.

    Ends with exit code 9 where something fails, and 6 where nothing fails and nothing proves it either. Needs no network, no data and no secret.
    """
    from privet.pipeline import verify

    found = verify(where, key=key, ledger=ledger)
    emit(found.to_json(), str(found), plain=_plain(found), as_json=as_json)
    if found.proven:
        return
    if as_json:
        raise typer.Exit(EvidenceBroken.exit_code if found.broken else NotProven.exit_code)
    if found.broken:
        first = found.broken[0]
        raise EvidenceBroken(
            f"{found.of} does not verify: {first.of}: {first.says}",
            "Do not rely on it. Ask for the files as they were signed, and find out who changed them.",
        )
    open_ = found.unproven[0]
    raise NotProven(
        f"{found.of} is not proven: {open_.of}: {open_.says}",
        "Name the public keys that you trust: --key keys.json.",
    )


def _plain(found: VerifiedEvidence) -> str:
    return "\n".join(f"{one.finding.value}\t{one.of}\t{one.says}" for one in found.checks)

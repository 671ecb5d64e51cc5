"""`privet collect serve` and `privet collect export`: a collector for batches of reports, and what it holds as lines."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from privet.app._terminal import JsonOption, emit, progress, write
from privet.artifact import OwnerOnly, refuse_password, written_whole
from privet.errors import SourceMissing

StoreOption = Annotated[
    str,
    typer.Option("--store", metavar="PLACE", help="Where reports are kept: reports.db, or postgresql://…."),
]
_TOLD = 100_000  # reports from one word of progress to the next
SpecificationArgument = Annotated[Path, typer.Argument(metavar="SPEC", help="The specification, spec.json.")]


def serve(
    specification: SpecificationArgument,
    *,
    store: StoreOption,
    key: Annotated[
        Path, typer.Option(help="The deployment key's file; made where there is none, for its owner alone.")
    ] = Path("collector.key"),
    port: Annotated[int, typer.Option(min=1, max=65535, help="On this machine (127.0.0.1).")] = 8787,
    rate: Annotated[
        float, typer.Option(min=0.1, max=10_000, help="Batches a second, of all senders.")
    ] = 50.0,
    as_json: JsonOption = False,
) -> None:
    """Take batches of reports over HTTP and store them, and nothing about who sent them.

    It listens on this machine alone: put a proxy with TLS in front of it that forwards no addresses. With --json one document
    says where, as soon as it listens.
    """
    from privet.app._collect_server import collector, serve_forever
    from privet.engine import report_store
    from privet.protect.collect import Collection, deployment_key

    refuse_password(store, "on a command line")
    found = Collection.load(specification)
    app = collector(found, report_store(store), deployment_key(key), rate=rate)
    address = f"http://127.0.0.1:{port}/reports"

    def announce() -> None:
        if not as_json:
            write(f"collecting {found.name} at {address}; the key is in {key}\n", error=True)
            return
        data = {
            "collection": found.name,
            "fingerprint": found.fingerprint,
            "address": address,
            "key": str(key),
            "store": store,
        }
        emit(data, address, plain=address, as_json=True)
        sys.stdout.flush()  # a program waits for it

    serve_forever(app, port, announce)


def export(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write, reports.jsonl.")],
    *,
    store: StoreOption,
    as_json: JsonOption = False,
) -> None:
    """Write the reports of a store as lines of JSON, in an order that says nothing, for `privet collect estimate`."""
    from privet.engine import report_store

    refuse_password(store, "on a command line")
    if "://" not in store and not Path(store).is_file():
        raise SourceMissing(f"there is no store {Path(store).name}.", "`privet collect serve` makes one.")
    from privet.protect.collect import numbered

    held = report_store(store)
    many = 0

    def filled(path: Path) -> None:
        nonlocal many
        with path.open("w", encoding="utf-8") as file, progress("writing reports") as advance:
            for line in held.lines():
                file.write(line + "\n")
                many += 1
                if many % _TOLD == 0:
                    advance(f"{many:,} reports written")

    written_whole(out, OwnerOnly(filled))
    emit(
        {"reports": many, "counts": held.counts(), "out": str(out)},
        f"{numbered(many, 'report')} in {out}",
        plain=str(many),
        as_json=as_json,
    )

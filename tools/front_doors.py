"""A contract for import-linter: modules named with an underscore are imported from inside their package alone.

Rooms are entered by their front doors (`__init__`); what a front door does not name may change without asking anybody.
"""

from __future__ import annotations

from typing import Any

from importlinter import Contract, ContractCheck, output


class FrontDoors(Contract):
    """`privet.ledger._hash_chain` is for `privet.ledger` and what lies below it."""

    type_name = "front_doors"

    def check(self, graph: Any, verbose: bool) -> ContractCheck:  # noqa: FBT001  as import-linter calls it
        """Every import that goes past a front door."""
        del verbose
        past = sorted(
            (importer, imported)
            for imported in graph.modules
            if (home := home_of(imported)) is not None
            for importer in graph.find_modules_that_directly_import(imported)
            if not (importer == home or importer.startswith(f"{home}."))
        )
        return ContractCheck(kept=not past, metadata={"past": past})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """One line for each import."""
        for importer, imported in check.metadata["past"]:
            output.print_error(
                f"{importer} imports {imported}: import what it needs from {home_of(imported)}."
            )


def home_of(module: str) -> str | None:
    """The package that a private module, or anything inside a private package, belongs to; None if it is public."""
    parts = module.split(".")
    for at, part in enumerate(parts):
        if at and part.startswith("_") and not part.startswith("__"):
            return ".".join(parts[:at])
    return None

"""`do: audit`: what the columns of a purpose would give away, for the owner."""

from __future__ import annotations

import json
from typing import ClassVar

from privet.artifact.saving import written_whole
from privet.verbs.options import Options
from privet.verbs.verb import Done, Verb, Work, register


class AuditOptions(Options):
    """What an outsider could hold, to be linked with; and who is who in it, to score that. Files beside the declaration."""

    auxiliary: str | None = None
    truth: str | None = None


@register
class Audit(Verb):
    """Reads the columns of its purpose, spends nothing, and writes figures without values."""

    name: ClassVar[str] = "audit"
    output: ClassVar[str] = "audit"
    endings: ClassVar[tuple[str, ...]] = (".json",)
    options: ClassVar[type[Options]] = AuditOptions
    beside: ClassVar[tuple[str, ...]] = ("auxiliary", "truth")

    def run(self, work: Work) -> Done:
        """Measure, and keep the record."""
        from privet.audit import audit

        options, unit = work.options, getattr(work.table.unit, "column", None)
        found = audit(
            work.table,
            unit=unit or "row",
            auxiliary=work.beside(options.auxiliary),
            truth=work.beside(options.truth),
            progress=work.say,
        ).to_json()
        text = json.dumps(found, indent=1, ensure_ascii=False, default=float) + "\n"
        written_whole(work.place, lambda part: part.write_text(text, encoding="utf-8"))
        return Done(facts=json.loads(text))

"""What a language model memorized, as one page for the owner of the texts: promise, evidence by copies, and what is not covered.

No text is on the page: counts, rates and bounds alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privet.artifact import OwnerOnly, RiskEstimate, Verdict
from privet.attacks import AttackReport, verdict_words
from privet.errors import NoSuchEntry, checked
from privet.report._page import rendered, saved_page

NOT_COVERED = (
    "What stands in several units: a text in c of them has c times the epsilon. Count them before training (privet lm duplicates).",
    "What many people say: a sentence that is common is learned because it is common, whoever wrote it.",
    "Paraphrases and translations of one thing by several people: they are several units, and no count of shared words finds them.",
    "A person who wrote several texts, where the unit is a text or a sequence.",
    "Whatever stands in the prompt: a model repeats what it is shown.",
    "Texts that were read before: by a tokenizer, a warm start or a choice of settings that no promise covers.",
)
_EXTRACTION, _RECITATION, _EXPOSURE, _EPSILON = (
    "text-extraction",
    "canary-recitation",
    "canary-exposure",
    "canary-epsilon",
)
_PROBES = "identity-probes"


def memorization_page(report: AttackReport) -> str:
    """The page as text: no script, no network, no text that was trained on."""
    promised = next((one.promise for one in report if one.promise is not None), None)
    audit = _of(report, _EPSILON)
    return rendered(
        "memorization.html",
        title=f"What {report.attacked} has memorized",
        audience="owner",
        attacked=report.attacked,
        verdict=f"{report.verdict.value[0].upper()}{report.verdict.value[1:]}.",
        calm=report.verdict is Verdict.WITHIN,
        promise="" if promised is None else promised.sentence(),
        standing=report.standing,
        confidence="" if report.confidence is None else f"{report.confidence:.4g}",
        unfair=list(dict.fromkeys(one.unfair for one in report if one.unfair)),
        texts=[_text_row(row) for row in _details(report, _EXTRACTION, "by copies")],
        entropy=[_entropy_row(row) for row in _details(report, _EXTRACTION, "by entropy")],
        tokens=None if (one := _of(report, _EXTRACTION)) is None else one.details,
        canaries=_canary_rows(report),
        chance=None if (one := _of(report, _EXPOSURE)) is None else f"{one.details['chance']:.2f}",
        audit="" if audit is None else audit.sentence(),
        probes=[_probe_row(row) for row in _details(report, _PROBES, "by kind")],
        members=[
            (one.attack, one.measure, one.success.text(), _rate(one.bound), verdict_words(one))
            for one in report
            if one.attack.startswith("text-membership")
        ],
        not_covered=NOT_COVERED,
        notes=[(one.attack, note) for one in report for note in one.notes],
        left_out=report.left_out,
    )


@checked
def save_memorization_page(report: AttackReport, path: str | Path) -> Path:
    """Write the page for the owner's eyes, whole or not at all."""
    return saved_page(OwnerOnly(memorization_page(report)), path)


def memorization_lines(report: AttackReport) -> list[str]:
    """Evidence by number of copies, for a terminal."""
    said = [
        f"texts, {_copies(row)}: {row['approximate']:,} of {row['texts']:,} recited, at most {row['approximate at most']:.3g}"
        for row in _details(report, _EXTRACTION, "by copies")
    ]
    said += [
        f"canaries, {name}: {recited or '-'} of {tried} recited, at most {most or '-'}; exposure {exposure or '-'} bits"
        for name, tried, recited, most, exposure, *_ in _canary_rows(report)
    ]
    if said:
        said.append("Not covered by a promise for one unit: what stands in several (privet lm duplicates).")
    return said


def _of(report: AttackReport, name: str) -> RiskEstimate | None:
    try:
        return report[name]
    except NoSuchEntry:
        return None


def _details(report: AttackReport, attack: str, part: str) -> list[dict[str, Any]]:
    found = _of(report, attack)
    rows = None if found is None else found.details.get(part)
    return rows if isinstance(rows, list) else []


def _copies(row: dict[str, Any]) -> str:
    said = str(row["copies"])
    return said if said.startswith("never") else "1 copy" if said == "1" else f"{said} copies"


def _rate(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _text_row(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        _copies(row),
        f"{row['texts']:,}",
        f"{row['exact']:,}",
        _rate(row["exact at most"]),
        f"{row['approximate']:,}",
        _rate(row["approximate at most"]),
        _rate(row.get("allowed")) or ("" if str(row["copies"]).startswith("never") else "no limit"),
    )


def _entropy_row(row: dict[str, Any]) -> tuple[str, ...]:
    never = row["never trained"]
    return (
        row["bits a byte"],
        f"{row['texts']:,}",
        f"{row['approximate']:,}",
        _rate(row["approximate at most"]),
        f"{never['texts']:,}",
        f"{never['approximate']:,}",
        _rate(never["approximate at most"]),
    )


def _canary_rows(report: AttackReport) -> list[tuple[str, ...]]:
    """Recited canaries and their exposure, side by side for each number of copies."""
    recited = {row["copies"]: row for row in _details(report, _RECITATION, "by copies")}
    exposed = {row["copies"]: row for row in _details(report, _EXPOSURE, "by copies")}
    found: list[tuple[str, ...]] = []
    for copies in {**recited, **exposed}:
        one, other = recited.get(copies, {}), exposed.get(copies, {})
        found.append(
            (
                _copies({"copies": copies}),
                f"{one.get('canaries', other.get('canaries', 0)):,}",
                f"{one['recited']:,}" if one else "",
                _rate(one.get("recited at most")),
                f"{other['exposure']:.2f} [{other['low']:.2f}, {other['high']:.2f}]" if other else "",
                f"{other['tail']:.1f}" if other else "",
                _rate(other.get("allowed")),
            )
        )
    return found


def _probe_row(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["kind"],
        f"{row['answers']:,}",
        f"{row['trained out']:,} of {row['trained']:,}",
        _rate(row["trained at most"]),
        f"{row['control out']:,} of {row['control']:,}",
        _rate(row["control at most"]),
    )

"""What to do next, in order, with the command that does it."""

from __future__ import annotations

import shlex

from privet.audits._findings import Advice, Findings
from privet.audits._phrases import listed, percent
from privet.engine import is_made

# The commands of this version that advice may name; a test holds them against the command line.
AVAILABLE = frozenset({"anonymize", "audit", "init", "query", "suppress"})
_WANTED_K, _WANTED_L = 5, 3
_MANY = 0.05


def advise(audit: Findings, source: str) -> tuple[Advice, ...]:
    """Steps for what was found: what names people first, then what singles them out, then what is learned."""
    steps = [
        _write_roles(audit, source),
        _identifiers(audit, source),
        _free_text(audit, source),
        _missing_unit(audit, source),
        _unnamed(audit, source),
        _coarsen(audit, source),
        _diversify(audit, source),
        _share_answers(audit, source),
        _again(),
        _policy(audit, source),
    ]
    return tuple(step for step in steps if step is not None)


def command(verb: str, source: str, *options: str) -> str | None:
    """A command line with everything quoted as a shell needs it; None if this version lacks the verb."""
    if verb not in AVAILABLE:
        return None
    return " ".join(["privet", verb, shlex.quote(source), *options])


def _unit(audit: Findings) -> str:
    """What `--unit` is to say: as stated, else as the data argue; rows where nothing speaks for people."""
    best = next(iter(audit.person_keys.repeated), None)
    if audit.unit.origin == "stated" or audit.unit.columns or best is None:
        return shlex.quote(audit.unit.option)
    return shlex.quote(best.option)


def _policy(audit: Findings, source: str) -> Advice:
    return Advice(
        "Or write all of it down as a policy, look at its plan, and have it carried out.",
        "A policy says who may use what for which purpose; what a run makes is attacked and reported.",
        command("init", source, "--unit", _unit(audit)),
    )


def _write_roles(audit: Findings, source: str) -> Advice:
    """Roles are proposals until a person has confirmed them; what is unknown comes first."""
    write = command("audit", source, "--write-roles", "roles.yaml")
    if not audit.unknown:
        return Advice(
            "Write down what each column is, and correct what is wrong.",
            "The roles were found by looking at values and names; you know the data. Later steps read the file.",
            write,
        )
    return Advice(
        f"Write down what each column is: say what {listed(audit.unknown)} {'are' if len(audit.unknown) > 1 else 'is'}, "
        "and correct what is wrong.",
        "Where nothing was recognised a column is unknown, which does not make it harmless: what nobody has spoken for is "
        "withheld. Later steps read the file.",
        write,
    )


def _identifiers(audit: Findings, source: str) -> Advice | None:
    direct = [
        name
        for name, finding in audit.columns.items()
        if finding.role == "direct" and not is_made(name, audit.columns)
    ]
    if not direct:
        return None
    letters = sorted(
        {finding.hipaa for finding in audit.columns.values() if finding.role == "direct" and finding.hipaa}
    )
    harbor = f" HIPAA Safe Harbor lists them ({', '.join(letters)})." if letters else ""
    return Advice(
        f"Leave out {listed(direct)}, or put keyed pseudonyms in their place.",
        f"{'They name' if len(direct) > 1 else 'It names'} people outright.{harbor} An unkeyed hash is no protection: it is undone by trying all values.",
        _suppress(source, direct, "without_names.parquet"),
    )


def _free_text(audit: Findings, source: str) -> Advice | None:
    texts = [name for name, finding in audit.columns.items() if finding.role == "free text"]
    if not texts:
        return None
    return Advice(
        f"Leave out {listed(texts)}, or have a person read {'them' if len(texts) > 1 else 'it'}.",
        "Free text holds names, numbers and stories that no measure here counts.",
        _suppress(source, texts, "without_text.parquet"),
    )


def _suppress(source: str, names: list[str], out: str) -> str | None:
    return command("suppress", source, "--columns", shlex.quote(",".join(names)), "-o", out)


def _missing_unit(audit: Findings, source: str) -> Advice | None:
    if audit.unit.origin == "stated":
        return None
    return Advice(
        "Say whose rows they are: which column says it, or that each row is another person's.",
        "Counted by rows, people with many rows hide each other, and the risk looks smaller than it is.",
        command("audit", source, "--unit", _unit(audit)),
    )


def _coarsen(audit: Findings, source: str) -> Advice | None:
    share = audit.unique_share
    if share < _MANY and audit.alike.sizes.k >= _WANTED_K:
        return None
    without = sorted(audit.uniques_without.items(), key=lambda pair: pair[1])
    strongest = _strongest(audit)
    effect = ""
    if without and audit.people:
        name, left = without[0]
        effect = (
            f" Without {name}, {percent(left / audit.people)} of {audit.unit.many} would be unique instead of "
            f"{percent(share)}."
        )
    return Advice(
        f"Make {listed(strongest)} coarser (years instead of days, areas instead of postal codes), or leave them out.",
        f"{percent(share)} of {audit.unit.many} are alone with their {listed(audit.quasi)}.{effect}{_of_several(audit)}",
        _anonymize(audit, source, []),
    )


def _of_several(audit: Findings) -> str:
    if not _several(audit):
        return ""
    one = audit.unit.one
    return (
        f" Some have several rows here: k counts {audit.unit.many} for somebody who knows one of the rows, and means less "
        f"against somebody who knows more. Make one row of each {one} first if you can."
    )


def _several(audit: Findings) -> bool:
    """Whether somebody has more than one row."""
    return audit.contributions is not None and audit.contributions.rows.highest > 1


def _anonymize(audit: Findings, source: str, diverse: list[str]) -> str | None:
    """Read the roles from the file of the first step, and ask for look-alikes and for differing secrets."""
    options = ["--roles", "roles.yaml", "--unit", _unit(audit), "--k", str(_WANTED_K)]
    for name in diverse:
        wanted = min(_WANTED_L, audit.columns[name].distinct)
        options += ["--l", shlex.quote(f"{name}={wanted}")] if wanted > 1 else []
    return command("anonymize", source, *options, "--max-suppressed", "0.05", "-o", "safe.parquet")


def _strongest(audit: Findings) -> list[str]:
    """The columns that do most to single people out, strongest first."""
    parts = audit.suda.contributions()
    ranked = sorted(audit.quasi, key=lambda name: (-parts.get(name, 0.0), audit.uniques_without.get(name, 0)))
    half = parts.get(ranked[0], 0.0) / 2 if ranked else 0.0
    return [name for name in ranked if parts.get(name, 0.0) >= half][:3]


def _unnamed(audit: Findings, source: str) -> Advice | None:
    """Columns nobody counts as known, though they alone single out many."""
    named = {*audit.quasi, *audit.secret}
    alone = [
        (one.columns[0], one.unique_share)
        for one in audit.column_sets.sets
        if len(one.columns) == 1 and (one.unique_share or 0) >= _MANY and one.columns[0] not in named
    ]
    if not alone:
        return None
    alone.sort(key=lambda pair: -(pair[1] or 0))
    names = [name for name, _ in alone]
    return Advice(
        f"Ask whether an outsider could know {listed(names)}.",
        f"Nobody has called {'them' if len(names) > 1 else 'it'} a quasi-identifier, yet {names[0]} alone singles out "
        f"{percent(alone[0][1] or 0)} of {audit.unit.many}.",
        command("audit", source, "--quasi", shlex.quote(",".join([*audit.quasi, *names]))),
    )


def _diversify(audit: Findings, source: str) -> Advice | None:
    poor = [name for name, found in audit.diversity.items() if found.distinct_l < _WANTED_L]
    if not poor:
        return None
    certain = max(audit.diversity[name].single_valued_rows for name in poor)
    return Advice(
        f"See to it that {audit.unit.many} that look alike differ in {listed(poor)}.",
        f"For {certain:,} of {audit.people:,} {audit.unit.many}, all that look like them have the same value: finding the "
        "group is knowing the secret.",
        _anonymize(audit, source, poor),
    )


def _share_answers(audit: Findings, source: str) -> Advice:
    caps = audit.contributions
    unit = ["--unit", _unit(audit)]
    if caps is not None:
        unit += ["--max-rows", str(caps.rows.suggested)]
    name = audit.table if audit.table.isidentifier() else f'"{audit.table}"'
    question = shlex.quote(f"SELECT COUNT(*) AS n FROM {name}")  # noqa: S608  shown, not run
    note = (
        " The cap on rows was read off this data: confirm it by what you know about the world before you use it."
        if caps
        else ""
    )
    return Advice(
        "Share private answers instead of rows where answers are all that is needed.",
        f"Noise that is calibrated to one person's influence protects everybody, whatever an outsider knows.{note}",
        command("query", source, question, *unit, "--epsilon", "0.5", "--budget", "3"),
    )


def _again() -> Advice:
    return Advice(
        "Audit what you are about to hand out, as a file of its own.",
        "Only what is measured on the very file that leaves is known about it.",
        command("audit", "safe.parquet", "--html", "safe.html"),
    )

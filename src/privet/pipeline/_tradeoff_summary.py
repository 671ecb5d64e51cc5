"""What a trade-off says in words: each point, the one to take first and why, and the lines of `privet.yaml` for it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privet._outgoing_text import for_yaml
from privet.pipeline._pareto_frontier import Knee
from privet.pipeline._sweep_bench import search_for
from privet.pipeline._sweep_point import MOST_MEANINGFUL, REFERENCE, SweepPoint
from privet.report import odds

MEANINGLESS = (
    f"An epsilon above {MOST_MEANINGFUL} is not proposed: the odds that somebody is in the data may change by a factor of "
    f"more than {math.exp(MOST_MEANINGFUL):,.0f}, so that even a suspicion of one in a thousand may become near certainty "
    "(Ponomareva et al. 2023, section 5.2, call it weak to non-existent; NIST SP 800-226 counts it among the hazards)."
)

TWO_CURRENCIES = (
    "Nats and epsilon are two currencies: matched points bound the guess of one person's membership alike, and nothing else, and "
    "are never added up. PAC privacy hides which half of a known universe was used, of this data set; differential privacy hides "
    "presence, in any data set. On PAC points the attacker knows every record and all worlds; on the others it does not."
)


def words(point: SweepPoint) -> str:
    """One point for people who do not read Greek letters."""
    if point.technique == REFERENCE:
        return (
            "No protection, for comparison. It promises nothing: that the attacks tried here found little would not mean "
            "that there is little to find."
        )
    if point.technique == "anonymize":
        known = "everything but the target" if "also_quasi" in point.strength else "the quasi-identifiers"
        return (
            f"Who knows {known} points at the right row with a chance of at most 1 in {point.strength['k']}. "
            "It is no promise against somebody who knows more of a person, or holds another release."
        )
    if point.technique == "pac":
        return (
            f"Whether one person was in the half used is guessed rightly at most {point.strength['posterior']:.1%} of the time, "
            f"where blind guesses are right half of the time: the bound that epsilon {point.strength['as_epsilon']:g} gives. "
            "That somebody is in the data at all is not hidden."
        )
    epsilon = float(point.strength["epsilon"])
    if point.meaningless:
        return (
            f"Epsilon {epsilon:g} is too high to mean anything: the odds that somebody is in the data may change by a factor of "
            f"{math.exp(min(epsilon, 700)):.2g}, and a suspicion of one in a thousand may become {_suspicion(epsilon)}."
        )
    said = odds(epsilon)
    return f"{said[:1].upper()}{said[1:]}."


def _suspicion(epsilon: float) -> str:
    """How sure somebody may become who held one in a thousand for likely."""
    ratio = math.exp(min(epsilon, 700)) / 999
    sure = ratio / (1 + ratio)
    return "as good as certain" if sure > 0.9999 else f"{sure:.1%} sure"


def reason(points: Sequence[SweepPoint], knee: Knee, guess: float) -> str:
    """Why this point, in words; and what it cannot be told from."""
    at = points[knee.index]
    said = [
        f"{at.label} ({at.technique}): utility {at.utility.text()}, worst attack {at.attack} {at.risk.text()} above guessing."
    ]
    if len(knee.chosen_from) == 1:
        said.append("No other point is both as useful and as hard to attack.")
    elif knee.by_promise:
        strongest, weakest = points[knee.chosen_from[0]].label, points[knee.chosen_from[-1]].label
        said.append(
            f"Attacks found no difference in risk from {strongest} to {weakest}, so what the promises allow decides: on "
            "the curve of utility over that, it lies farthest above the straight line from publishing nothing (no risk, "
            "guessing) to the most useful point (the knee)."
        )
    else:
        said.append(
            "On the curve of utility over risk it lies farthest above the straight line from publishing nothing (no risk, "
            "guessing) to the most useful point (the knee): beyond it, risk buys less utility."
        )
    if len(knee.chosen_from) > 1:
        said.append(
            "Points count there with what can be relied on: the lower end of utility, the upper end of risk."
        )
    if knee.alike:
        names = "; ".join(points[one].label for one in knee.alike)
        said.append(
            f"Its intervals overlap, in both, with those of: {names}. This sweep cannot tell them apart, and another might "
            "propose one of these."
        )
    if at.utility.low <= guess:
        said.append(
            f"Take it with care: its utility may be no better than guessing ({guess:.3g}). More people, or fewer columns, "
            "would help."
        )
    return " ".join(said)


def policy_lines(
    point: SweepPoint,
    *,
    target: str,
    columns: Sequence[str],
    quasi: Sequence[str],
    purpose: str,
    max_suppressed: str,
) -> str:
    """The step to put under `steps:` in `privet.yaml`."""
    made = {"anonymize": "a table", "synthesize": "a twin", "pac": "an answer"}
    start = (
        f"  - do: {point.technique}\n    purpose: {for_yaml(purpose)}  # whose outputs must allow "
        f"{made.get(point.technique, 'a model')}\n"
    )
    if point.technique == "anonymize":
        also = point.strength.get("also_quasi", ())
        more = [f"# needs the role quasi in `columns:` too: {for_yaml(name)}" for name in also]
        more += ["name: tradeoff-table", f"k: {point.strength['k']}"]
        if "l" in point.strength:
            pairs = ", ".join(f"{for_yaml(name)}: {number}" for name, number in point.strength["l"].items())
            more.append(f"l: {{{pairs}}}")
        more += [
            f"max_suppressed: {max_suppressed}",
            f"search: {search_for([*quasi, *also])}",
            "to: tradeoff-table.parquet",
        ]
        return start + "".join(f"    {line}\n" for line in more)
    names = ", ".join(for_yaml(name) for name in columns)
    if point.technique == "synthesize":
        return start + (
            "    name: tradeoff-twin\n"
            f"    columns: [{', '.join(for_yaml(name) for name in dict.fromkeys([*columns, target]))}]\n"
            f"    target: {for_yaml(target)}\n"
            f"    epsilon: {point.strength['epsilon']:g}\n"
            f"    delta: {point.strength['delta']:g}\n"
            f"    method: {point.strength['method']}\n"
            "    to: tradeoff-twin.parquet\n"
        )
    if point.technique == "pac":
        return start + (
            "    # needs an account of nats in `dataset:`, such as nats: 1\n"
            "    name: tradeoff-half\n"
            f"    nats: {point.strength['nats']:.6g}\n"
            f"    function: {point.strength['function']}\n"
            f"    columns: [{names}]\n"
            f"    target: {for_yaml(target)}\n"
            "    to: tradeoff-half.json\n"
        )
    return start + (
        "    name: tradeoff-model\n"
        f"    target: {for_yaml(target)}\n"
        f"    columns: [{names}]\n"
        f"    epsilon: {point.strength['epsilon']:g}\n"
        f"    delta: {point.strength['delta']:g}\n"
        f"    model: {point.strength['model']}\n"
        "    # records: about how many units there are, from elsewhere than these data\n"
        "    to: tradeoff-model\n"
    )

"""Write the table that plans of language models read noise off: epsilons of sampled Gaussian noise, from loss distributions.

python tools/write_noise_table.py     about ten minutes of one core; goes on where it stopped
"""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from pathlib import Path

from privet.errors import PrivetError
from privet.guarantee import Gaussian, PoissonSampled, Repeated, epsilon_for

TABLE = Path(__file__).parent.parent / "src/privet/protect/train/language/noise_table.json"
KEPT = Path(__file__).parent.parent / ".cache" / "noise_table.jsonl"
RATES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 0.3, 1.0)
STEPS = (30, 300, 3_000, 30_000, 300_000)
SIGMAS = tuple(round(0.4 * 1.6**k, 3) for k in range(9))
DELTAS = (1e-9, 1e-7, 1e-5)


def epsilon(rate: float, steps: int, delta: float, sigma: float) -> float:
    """What a run costs."""
    noise = Gaussian(Fraction(sigma), 1)
    one = noise if rate == 1 else PoissonSampled(Fraction(rate).limit_denominator(10**7), noise)
    run = Repeated(one, steps)
    try:
        return epsilon_for(run, Fraction(delta), accountant=None if rate == 1 else "pld").epsilon
    except PrivetError:  # hundreds and more, which no plan wants: a looser bound does
        return epsilon_for(run, Fraction(delta), accountant="rdp").epsilon


def main() -> None:
    """Compute what is missing, then write the whole."""
    KEPT.parent.mkdir(exist_ok=True)
    known = (
        {tuple(line[:4]): line[4] for line in map(json.loads, KEPT.read_text().splitlines())}
        if KEPT.exists()
        else {}
    )
    with KEPT.open("a") as kept:
        for place in itertools.product(RATES, STEPS, DELTAS, SIGMAS):
            if place not in known:
                known[place] = epsilon(*place)
                kept.write(json.dumps([*place, known[place]]) + "\n")
                kept.flush()
    nested = [
        [[[float(f"{known[r, t, d, s]:.6g}") for s in SIGMAS] for d in DELTAS] for t in STEPS] for r in RATES
    ]
    record = {"rates": RATES, "steps": STEPS, "deltas": DELTAS, "sigmas": SIGMAS, "epsilons": nested}
    TABLE.write_text(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()

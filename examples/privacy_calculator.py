"""The privacy calculator from Python: read what was done, add it up, solve for what is open, draw the curve."""

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

from privet.errors import BadNotation
from privet.guarantee._calculator_notation import parse, parse_with_unknown, unparse
from privet.guarantee._calculator_solver import solve_notation
from privet.guarantee._composition import curve, epsilon_for
from privet.report._loss_curve import LossCurve, loss_curve

# A year of private training: a thousand rounds, each on a fresh sample of one percent, and some counts beside it.
year = parse("poisson(q=0.01, 1000 x gaussian(sigma=1.5)) + 52 x laplace(scale=20)")
print("understood as:  ", unparse(year))

# Three ways of adding up. All are upper bounds, so the smallest is the claim.
for accountant in ("zcdp", "rdp", "pld"):
    print(f"by {accountant:4}:        ", round(epsilon_for(year, "1e-6", accountant=accountant).epsilon, 3))

# The other way round: how much noise keeps the training at epsilon 1? The answer was checked against the target.
training = parse_with_unknown(["poisson(q=0.01, 1000 x gaussian(sigma=?))"])
sigma = solve_notation(training, epsilon=1, delta="1e-6")
print(
    "sigma needed:   ",
    float(sigma),
    "for epsilon",
    round(epsilon_for(training.event(sigma), "1e-6").epsilon, 4),
)

# What cannot be read is refused at the character.
try:
    parse("52 x laplase(scale=20)")
except BadNotation as refusal:
    print("refused:        ", refusal.fact.splitlines()[0], refusal.hint)

# Epsilon depends on the chance of failure one admits: a picture without scripts, the same to the byte each time.
losses = curve(year, [Fraction(1, 10**power) for power in range(12, 1, -1)])
points = tuple((float(loss.delta), loss.epsilon) for loss in losses)
with TemporaryDirectory() as folder:
    picture = Path(folder) / "loss.svg"
    picture.write_text(loss_curve([LossCurve("loss distribution", points)], title="A year"), encoding="utf-8")
    print("picture:        ", picture.name, "begins with", picture.read_text(encoding="utf-8")[:4])

"""Attack a model: is it remembered who was in the training data, and would it show?"""

import warnings

import numpy as np
from sklearn.datasets import make_classification
from sklearn.neural_network import MLPClassifier

import privet as pv

warnings.simplefilter("ignore")
# Made-up people; four in ten labels are chance, so there is much to learn by heart.
features, labels = make_classification(600, 20, n_informative=5, flip_y=0.4, random_state=3)
members, control = (features[:300], labels[:300]), (features[300:], labels[300:])

# A network that learned its 300 people by heart, and a claim about it that is not true.
model = MLPClassifier((64,), max_iter=150, learning_rate_init=0.01, alpha=0, random_state=1).fit(*members)
found = pv.attack(
    model,
    members=members,
    control=control,
    promise=pv.PureDP("0.2"),
    attacks=["membership-loss", "membership-lira", "membership-rmia"],
    shadows=16,
)
for estimate in found:
    rates = estimate.details["true positives"]["1 %"]
    print(estimate.sentence())
    print(f"  found at 1 % false alarms: {rates['value']:.3f} [{rates['low']:.3f}, {rates['high']:.3f}]")

# Who carries the risk, by rank: nobody is named.
lira = next(one for one in found if one.attack == "membership-lira")
for row in lira.details["vulnerability"]["ranks"]:
    print(f"  {row['group']}: {row['members']} people, moved by {row['separation']} standard deviations")

# What a curious server reads off one client's gradient of a first dense layer.
record, error = features[0], np.linspace(-1, 1, 8)
update = pv.Update({"weight": np.outer(error, record), "bias": error})
print(pv.attack(update, members=record[None, :])[0].sentence())

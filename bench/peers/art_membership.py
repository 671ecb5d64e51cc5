"""Membership by shadow models with adversarial-robustness-toolbox: run by `bench.attack` in the peer's environment.

Arguments: the file of records, the number of shadow models, the kind of attack classifier. Prints one line of JSON.
"""

import json
import sys
import time

import numpy as np
from art.attacks.inference.membership_inference import MembershipInferenceBlackBox, ShadowModels
from art.estimators.classification.scikitlearn import ScikitlearnLogisticRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score


def main() -> None:
    """Train the target, then time everything that the attacker does."""
    path, shadows, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    given = np.load(path)
    features, labels = given["features"], given["labels"]
    half = len(labels) // 2
    wanted = np.eye(2)[labels]
    target = ScikitlearnLogisticRegression(
        LogisticRegression(max_iter=1000).fit(features[:half], labels[:half])
    )
    started = time.process_time()
    (member, member_y, member_p), (other, other_y, other_p) = ShadowModels(
        target, num_shadow_models=shadows, random_state=1
    ).generate_shadow_dataset(features, wanted)
    attack = MembershipInferenceBlackBox(target, attack_model_type=kind)
    attack.fit(member, member_y, other, other_y, member_p, other_p)
    scores = np.ravel(attack.infer(features, wanted, probabilities=True))
    seconds = time.process_time() - started
    inside = np.arange(len(labels)) < half
    threshold = np.quantile(scores[~inside], 0.99, method="higher")
    print(
        json.dumps(
            {
                "attack_cpu_s": round(seconds, 2),
                "auc": round(float(roc_auc_score(inside, scores)), 4),
                "true_positives_at_1%": round(float((scores[inside] > threshold).mean()), 4),
            }
        )
    )


if __name__ == "__main__":
    main()

"""PAC privacy: k-means of patients, released from a secret half of them, attacked, and asked again. docs/guide/pac.md walks through."""

import pyarrow as pa

import privet as pv
from privet import examples

stays = examples.hospital(600)
bounds = {"days": (0, 60), "cost": (0, 30_000)}
patients = pv.open_table(stays, unit=pv.Person("patient_id", max_rows=1), bounds=bounds)
promise = pv.PacPrivacy.from_advantage(prior=0.5, posterior=0.675)
ledger = pv.Ledger.in_memory(limit=pv.PacPrivacy("1/2"))

centres = patients.apply(pv.PacFunction.kmeans(3), columns=["days", "cost"])
print(pv.explain(centres, promise, ledger=ledger))  # tries it on made-up rows; spends nothing
answer = pv.release(centres, promise, ledger=ledger, why="how patients group")
print(answer.value.round(1))
print(f"noise at most {answer.noise_relative_to_signal:.2f} times what the function moves between halves")
print(f"nobody guesses membership more often than {answer.posterior():.1%}")
for sentence in promise.sentences(attribute="the days of a stay", prior=0.1, tolerance="2 days"):
    print(" ", sentence)


def share_long(rows: pa.Table) -> float:
    """Any function of the rows will do, if the same rows always give the same."""
    return float((rows[:, 0] > 7).mean())


with pv.PacSession(patients, worlds=64, ledger=ledger) as session:  # many questions, one secret half
    print(session.release(share_long, "1/64", columns=["days"]).value)
    print(session.release(share_long, "1/64", columns=["days"]).value)  # the same again, for nothing
print(f"spent: {float(ledger.balance().spent['nats']):.4f} nats")

few = {"draws": 40, "repeats": 2, "steps": 2}  # many more outside of an example
means = patients.apply(pv.PacFunction.means(), columns=["days", "cost"])
for risk in pv.attack(pv.pac_trials(means, promise, worlds=32), **few):
    print(risk.sentence())

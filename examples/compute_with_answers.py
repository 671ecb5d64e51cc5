"""Compute with released answers, and a mobility report. What docs/guide/compute-with-answers.md walks through."""

import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import privet as pv
from privet import examples

with TemporaryDirectory() as folder:
    patients = pv.open_table(
        examples.hospital(patients=4_000, seed=7), unit=pv.Person("patient_id", max_groups=2, max_rows=6)
    )
    wards = ["Cardiology", "Emergency", "Surgery"]
    with pv.Ledger(Path(folder) / "stays.ledger", limit=pv.PureDP(1)) as ledger:
        question = patients.group_by("ward", keys={"ward": wards}).agg(n=pv.count())
        answer = pv.release(question, pv.PureDP(1), ledger=ledger, why="planning")
    surgery, emergency = answer.quantity("n", ward="Surgery"), answer.quantity("n", ward="Emergency")
    print("surgery less emergency:", surgery - emergency)
    print("surgery's share:       ", surgery / answer.total("n"))
    print("without emergency:     ", answer.total("n", where=lambda keys: keys["ward"] != "Emergency"))

    visits = pv.open_table(examples.visits(people=2_000), unit=pv.Person("user_day"), name="visits")
    days = [datetime.date(2020, 1, 6) + datetime.timedelta(days=i) for i in range(42)]
    places = examples.regions().to_pydict()
    report = pv.mobility(
        visits,
        levels=("country", "county"),
        regions={
            "country": {"Example": 1e6},
            "county": dict(zip(places["county"], places["area"], strict=True)),
        },
        categories=("grocery", "parks", "retail", "transit"),
        days=days,
        baseline=days[:35],
    )
    print(f"one person's day costs epsilon {float(report.epsilon):.2f}")
    with pv.Ledger(Path(folder) / "visits.ledger", limit=pv.PureDP(report.epsilon)) as ledger:
        released = pv.release(report, pv.PureDP(report.epsilon), ledger=ledger, why="weekly report")
    shown = released.shown()
    print(f"{len(shown)} of {len(released.changes)} changes are reliable enough to show; among them")
    for one in [one for one in shown if one.level == "country"][:3]:
        print(f"  {one.day} {one.category:12} {one.change:+.0%} [{one.low:+.0%}, {one.high:+.0%}]")

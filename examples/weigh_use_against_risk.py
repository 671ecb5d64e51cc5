"""What protections keep and what they give away, side by side, on made-up people in place of real ones."""

from pathlib import Path
from tempfile import TemporaryDirectory

import privet as pv
from privet import examples

# Made-up stays stand in for the real ones: the sweep gives nobody away, and may be shown.
with TemporaryDirectory() as folder:
    file = Path(folder) / "stays.parquet"
    examples.write(file, examples.hospital(patients=400))
    stays = pv.open_table(
        file,
        unit=pv.Person("patient_id", max_rows=20),
        roles={
            "patient_id": "direct",
            "born": "quasi",
            "sex": "quasi",
            "ward": "insensitive",
            "days": "insensitive",
            "readmitted": "sensitive",
        },
    )

    # Fewer strengths than usual, to be quick: two tables, three private models, and what is not protected beside them.
    sweep = pv.Sweep(k=(5,), k_all=(5,), l=None, epsilon=(0.5, 2, 20), repeats=3)
    found = pv.tradeoff(stays, target="readmitted", sweep=sweep, standing="surrogate")
    print(found)

    # The same for programs: every point with its intervals, the frontier, the knee and the lines for privet.yaml.
    record = found.to_json()
    print([point["label"] for point in record["points"] if point["on_frontier"]])

    # One page with the picture.
    from privet.report._tradeoff_page import save_tradeoff_page

    page = save_tradeoff_page(record, Path(folder) / "tradeoff.html")
    print(page.name, page.stat().st_size < 100_000)

"""What a notebook shows: tables without rows, answers with their promise, frames, pictures; and a ledger for trying out."""

from pathlib import Path
from tempfile import TemporaryDirectory

import privet as pv
from privet import examples
from privet.errors import PrivetError

stays = pv.open_table(
    examples.hospital(400),
    name="stays",
    unit=pv.Person("patient_id", max_rows=10, max_groups=2),
    bounds={"days": (0, 60)},
    keys={"ward": ["Internal medicine", "Surgery", "Maternity"]},
    roles={"name": "direct", "zip": "quasi", "diagnosis": "sensitive"},
)

# In a notebook the last line of a cell is shown as a small page; this is what the notebook asks for.
page = stays._repr_html_()
print("a table shows its columns:  ", "diagnosis" in page and "sensitive" in page)

# For trying out: a real book, which forgets everything when the process ends and says so.
ledger = pv.Ledger.in_memory(limit=pv.ApproxDP(3, 1e-6))
print(ledger)

question = stays.group_by("ward").agg(n=pv.count(), days=pv.mean("days"))
answer = pv.release(question, pv.PureDP(1), ledger=ledger, why="trying things out")
print("its answers carry the note: ", answer.receipt.note in answer.notes)

# As a frame, each answer followed by its interval.
print(answer.to_pandas()[["ward", "n", "n_low", "n_high"]])
print(ledger.to_polars()["kind"].to_list())

# As a picture, for the notebook or for a file.
with TemporaryDirectory() as folder:
    saved = answer.plot().save(Path(folder) / "answer.svg")
    print("a picture of", saved.stat().st_size > 0, "size;", ledger.plot().title.lower())

# What is the owner's says so, wherever it is shown.
audit = pv.audit(stays)
print("an audit is marked:         ", "For the owner only" in audit._repr_html_(), audit.plot().audience)

# A slip is refused with what to write instead.
try:
    pv.release(question, epsilon=1)
except PrivetError as refusal:
    print(refusal)

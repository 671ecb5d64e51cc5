"""Which language model to train under differential privacy: a plan, and what more of anything would buy."""

from pathlib import Path
from tempfile import TemporaryDirectory

import privet as pv

plan = pv.plan_language_model(1e13, examples=200_000, sequence=64, promise=pv.ApproxDP(2, 1e-7))
print(plan)

loose = pv.plan_language_model(1e13, examples=200_000, sequence=64, promise=pv.ApproxDP(100, 1e-7))
print(f"\nAt epsilon 100 it would be {loose.size:,} weights and batches of {loose.batch:,}.")

with TemporaryDirectory() as room:
    page = pv.save_language_plan_page(plan, Path(room) / "plan.html")
    print(f"\nThe page has {page.read_text(encoding='utf-8').count('<svg')} pictures.")

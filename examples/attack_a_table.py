"""Attack a table: raw, anonymized and synthetic. What docs/guide/attack-a-table.md walks through."""

import pyarrow as pa

import privet as pv
from privet import examples

stays = examples.hospital(patients=1_200, seed=7)
people = stays.group_by("patient_id", use_threads=False).aggregate(
    [(name, "first") for name in ("born", "zip", "sex", "ward", "diagnosis", "days")]
)
people = people.rename_columns([name.removesuffix("_first") for name in people.column_names])
used, unused = people.slice(0, people.num_rows // 2), people.slice(people.num_rows // 2)

print("a verbatim copy, sold as synthetic data")
copy = used.select(["sex", "ward", "diagnosis", "days"])
found = pv.attack(
    copy,
    members=copy,
    control=unused.select(copy.column_names),
    attacks=["exact-match", "distance-to-closest", "membership-density"],
)
print(found)

print("\nevery column drawn by itself")
shuffled = pa.table(
    {name: unused[name].take(pa.array([(i * 7919 + at) % unused.num_rows for i in range(unused.num_rows)]))
     for at, name in enumerate(copy.column_names)}
)  # fmt: skip
found = pv.attack(
    shuffled,
    members=copy,
    control=unused.select(copy.column_names).slice(0, copy.num_rows),
    attacks=["singling-out-multivariate", "linkability", "inference"],
)
print(found)

"""Questions about people of three wards."""

import numpy as np
import pyarrow as pa

import privet as pv

WARDS = ["b", "a", "c"]


def opened(data, **more):
    return pv.open_table(
        data, unit=pv.Person("id", max_rows=1, max_groups=1), bounds={"x": (0, 40)}, name="t", **more
    )


def by_ward(data, of):
    wards = np.asarray(data["ward"])
    return {ward: of(data.filter(pa.array(wards == ward))) for ward in WARDS}

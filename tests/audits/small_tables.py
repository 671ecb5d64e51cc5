"""Small tables whose audit can be counted by hand."""

import pyarrow as pa

from privet.audits import Audit, audit


def small(**columns) -> Audit:
    """An audit of these columns, in which each row is a person and only `secret` must not be learned."""
    return audit(
        pa.table(columns), quasi=[n for n in columns if n != "secret"], sensitive=["secret"], unit="row"
    )

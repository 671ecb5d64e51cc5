"""Five people, one for each corner of the rule."""

import datetime

import pyarrow as pa

import privet as pv

TODAY = datetime.date(2026, 11, 1)


KINDS = {
    "name": "remove",
    "zip": "zip",
    "born": "birth date",
    "age": "age",
    "admitted": "date",
    "diagnosis": "keep",
}


def people() -> pa.Table:
    return pa.table(
        {
            "name": ["Ada", "Ben", "Cem", "Dot", "Eva"],
            "zip": ["02139", "03601", "03601-1234", "ABC", None],
            "born": [
                datetime.date(1936, 12, 31),
                datetime.date(1937, 1, 1),
                datetime.date(1980, 5, 5),
                None,
                datetime.date(1900, 1, 1),
            ],
            "age": [89, 90, 46, None, 121],
            "admitted": ["2026-03-04", "04/05/2025", "spring", "2025 or 2024", "1999"],
            "diagnosis": ["flu", "flu", "gout", "gout", None],
        }
    )


def opened(source: object = None) -> pv.Table:
    return pv.open_table(people() if source is None else source, roles={"diagnosis": "sensitive"})

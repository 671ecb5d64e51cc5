"""What the values of a Parquet file take once they are read, without reading them: a page may say one value a billion times.

A footer counts the bytes of pages. Runs and dictionaries make many values of few bytes, so those pages say little of the memory
that rows take. Here values are counted at their width, and long texts of a dictionary as often as rows name them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import SourceTooLarge

if TYPE_CHECKING:
    import pyarrow as pa

_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8, "BYTE_ARRAY": 4}
_LONG = 4096  # bytes of a text that is worth counting; ordinary words are not looked at
_AT_ONCE = 65_536
# Of records of ours, which are read whole. Tables of people are held to the limits of the engine's readers.
FREE_BYTES, MOST_RATIO = 1 << 30, 1000


def values_size(file: Any) -> int:
    """How many bytes the values of an opened Parquet file (`pyarrow.parquet.ParquetFile`) take in memory, at least about.

    Args:
        file: as `opened_parquet` opens it.
    """
    facts, total = file.metadata, 0
    for group in range(facts.num_row_groups):
        rows = facts.row_group(group)
        for place in range(rows.num_columns):
            chunk = rows.column(place)
            width = _WIDTHS.get(chunk.physical_type) or max(facts.schema.column(place).length, 1)
            total += max(chunk.num_values, 0) * width
            if chunk.physical_type == "BYTE_ARRAY" and chunk.has_dictionary_page:
                total += _long_texts(file, group, chunk.path_in_schema)
    return total


def _long_texts(file: Any, group: int, column: str) -> int:
    """The bytes of long texts in a dictionary, each as often as it is named."""
    import pyarrow as pa
    import pyarrow.compute as pc

    total = 0
    for batch in file.iter_batches(_AT_ONCE, row_groups=[group], columns=[column]):
        for values in (leaf for whole in batch.columns for leaf in _leaves(whole)):
            lengths = pc.fill_null(pc.binary_length(values.dictionary), 0)
            if not len(lengths) or pc.max(lengths).as_py() < _LONG:
                return total
            total += int(pc.sum(lengths.take(values.indices.drop_null()).cast(pa.int64())).as_py() or 0)
    return total


def _leaves(values: Any) -> Iterator[Any]:
    """The dictionaries in an array: itself, or in the lists and objects that it is made of."""
    import pyarrow as pa

    if isinstance(values, pa.DictionaryArray):
        yield values
    elif isinstance(values, pa.StructArray):
        for part in values.flatten():
            yield from _leaves(part)
    elif isinstance(values, pa.ListArray | pa.LargeListArray):
        yield from _leaves(values.flatten())


def opened_parquet(file: Any) -> Any:
    """A Parquet file whose dictionaries stay dictionaries: each text is held once, however often rows name it."""
    from pyarrow import parquet

    facts = parquet.read_metadata(file)
    file.seek(0)
    leaves = [facts.schema.column(place) for place in range(len(facts.schema))]
    text = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    return parquet.ParquetFile(file, read_dictionary=text)


def read_rows(path: Path) -> pa.Table:
    """The rows of a record of ours; refused where a small file would fill the memory."""
    from pyarrow import parquet

    with path.open("rb") as file:  # a name alone could be taken for an address or a folder
        found, allowed = (
            values_size(opened_parquet(file)),
            max(FREE_BYTES, MOST_RATIO * path.stat().st_size),
        )
        if found > allowed:
            raise SourceTooLarge(
                f"the rows of {path.name} take {found:,} bytes, and {allowed:,} are allowed for a file of its size.",
                "No release of ours is packed so tightly. Ask for the file as it was made.",
                limit="ratio",
                allowed=allowed,
            )
        file.seek(0)
        return parquet.read_table(file)

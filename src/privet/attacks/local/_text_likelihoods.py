"""What a report about an unknown text says of given texts: log-likelihoods by the hash functions that its specification names.

A prefix (PEM) or a fragment and the whole text (SFP) are hashed by public functions before they are randomised. Whoever reads
the report hashes the texts that they have in mind in the same way, and sees which of them fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.attacks.local._local_client import stated_oracle
from privet.attacks.local._report_likelihoods import Floats, column, columns_of, said_of
from privet.errors import BadAttack
from privet.guarantee.oracles import Oracle, fragment_marks, text_checks, text_marks

PREFIXES, FRAGMENTS = "pem", "sfp"


def text_likelihoods(record: Mapping[str, Any], epsilon: Any, reports: Any, texts: Sequence[str]) -> Floats:
    """A row for each report and a column for each text; `record` is the public specification, `epsilon` that of a report."""
    protocol, question, seed = record["protocol"], record["question"], int(record["seed"], 16)
    codes = _coded(texts, question["alphabet"], question["length"])
    if protocol["kind"] == PREFIXES:
        oracle = stated_oracle(protocol["oracle"], epsilon, 2)
        lengths = [*range(protocol["first"], question["length"], protocol["step"]), question["length"]]
        marks = [text_marks(codes[:, :length], seed) for length in lengths]
        return _by_group(oracle, reports, marks, seed)
    if protocol["kind"] != FRAGMENTS:
        raise BadAttack("what these reports say of texts is not known here.", "Use pem or sfp.")
    oracle = stated_oracle(protocol["oracle"], epsilon / 2, 2)
    whole, step = text_marks(codes, seed), protocol["fragment"]
    pieces = [
        fragment_marks(text_checks(whole), codes[:, start : start + step], number, seed)
        for number, start in enumerate(range(0, question["length"], step))
    ]
    words = columns_of(_Renamed(reports), oracle)
    about_text: Floats = np.asarray(said_of(oracle, words, whole.view(np.int64), seed), np.float64)
    return _by_group(oracle, reports, pieces, seed) + about_text


def _by_group(oracle: Oracle, reports: Any, marks: Sequence[NDArray[np.uint64]], seed: int) -> Floats:
    """Each report says which prefix or fragment it is about."""
    columns = columns_of(reports, oracle)
    groups = column(reports, "group", "uint32", len(marks))
    said = np.zeros((len(groups), len(marks[0])))
    for number, hashed in enumerate(marks):
        rows = np.flatnonzero(groups == number)
        part = {name: values[rows] for name, values in columns.items()}
        said[rows] = said_of(oracle, part, hashed.view(np.int64), seed)  # the same 64 bits
    return said


class _Renamed:
    """The columns about the whole text, under the names of the oracle's own."""

    def __init__(self, reports: Any) -> None:
        self._reports = reports

    def __getitem__(self, name: str) -> Any:
        return self._reports[f"word_{name}"]


def _coded(texts: Sequence[str], alphabet: str, length: int) -> NDArray[np.int64]:
    """Rows of character codes, as devices make them: places in the alphabet from 1 on, and 0 behind a shorter text."""
    codes = np.zeros((len(texts), length), np.int64)
    for row, text in enumerate(texts):
        codes[row, : len(text)] = [alphabet.index(letter) + 1 for letter in text]
    return codes

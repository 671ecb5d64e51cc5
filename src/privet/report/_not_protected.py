"""What each kind of thing does not protect against: said beside every promise, so that nobody reads more into it."""

from __future__ import annotations

from privet.report._anonymize_page import NOT_PROTECTED as TABLES
from privet.report._answer_card import NOT_PROTECTED as ANSWERS
from privet.report._pac_promise import NOT_PROTECTED as PAC
from privet.report._twin_page import NOT_PROTECTED as TWINS

MODELS = (
    "What is true of people in general: a model that learned it tells it of people who were not in the data, too.",
    "Somebody who enters a person's values and reads the prediction: a prediction is a statement about that person.",
    "People whose data is also used elsewhere without protection, or under another ledger.",
    "Wrong assumptions: a person under several identifiers, or bounds and values picked by looking at the data.",
    "Unfair or wrong predictions, most of all about small groups.",
)
FOR_THE_OWNER = (
    "Anything: it was measured on the original rows, promises nothing, and stays with the owner of the data.",
)
ANYTHING_ELSE = (
    "Attackers other than those the promise names.",
    "People whose data is also released elsewhere without protection.",
)
RECORDS = (
    "Anybody who knows something of a person that stands in the other columns: rows can still be singled out and linked.",
    "Whoever holds the key or the vault that pseudonyms were made with.",
    "Anything that is promised of anonymized tables: this is personal data still.",
)
_BY_OUTPUT = {
    "answer": ANSWERS,
    "table": TABLES,
    "model": MODELS,
    "twin": TWINS,
    "audit": FOR_THE_OWNER,
    "report": FOR_THE_OWNER,
}


def not_protected(output: str, *, promised: bool = True, nats: bool = False) -> tuple[str, ...]:
    """The list for a kind of output, whose promise may be one in nats; what promises nothing protects nobody."""
    if output == "records":
        return RECORDS
    if not promised:
        return FOR_THE_OWNER
    if nats:
        return PAC
    return _BY_OUTPUT.get(output, ANYTHING_ELSE)

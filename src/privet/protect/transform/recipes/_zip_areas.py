"""Three-digit ZIP areas with too few people in them: a list that belongs to a census, so data with a year."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from privet.errors import BadRecipe
from privet.evidence import given_text, read_json


@dataclass(frozen=True, slots=True)
class ZipAreas:
    """The areas whose three digits must not be published, and the census that says so."""

    year: int
    source: str
    sparse: frozenset[str]


def zip_areas(path: str | Path | None = None) -> ZipAreas:
    """The list in a JSON file (`year`, `source`, `zip3`), or the one of the census of 2000 that HHS published.

    HHS asks for the newest data of the Census Bureau, so an own list is the better one where it exists.
    """
    try:
        if path is None:
            text = (
                resources.files("privet.protect.transform.recipes")
                .joinpath("zip3_census_2000.json")
                .read_text("utf-8")
            )
        else:
            text = given_text(path)
        record = read_json(text, what="the list of ZIP areas")
        areas = ZipAreas(int(record["year"]), str(record["source"]), frozenset(map(str, record["zip3"])))
    except (OSError, ValueError, KeyError, TypeError):
        raise BadRecipe(
            "the list of ZIP areas cannot be read.",
            'It is a JSON file: {"year": 2020, "source": "…", "zip3": ["036", …]}.',
        ) from None
    if not all(len(area) == 3 and area.isdigit() for area in areas.sparse):
        raise BadRecipe("the list of ZIP areas holds something other than three digits.")
    return areas

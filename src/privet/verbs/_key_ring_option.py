"""The key ring that options name by its place; a key itself never stands in an option or a policy."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from privet.verbs._verb_options import Flag

if TYPE_CHECKING:
    from privet.protect.transform.pseudonyms import KeyRing
    from privet.verbs._verb import VerbWork

KeyPlace = Annotated[
    str | None,
    Field(
        description="Where the keys are: a key file, env, or keyring:NAME [default: PRIVET_KEYS if set, else privet.keys]."
    ),
    Flag(example="privet.keys"),
]


def key_ring(work: VerbWork) -> KeyRing:
    """The ring; files are seen from where the request or the policy stands."""
    from privet.protect.transform.pseudonyms import DEFAULT_FILE, ENVIRONMENT, SYSTEM, VARIABLE, find_keys

    place: str | None = work.options.keys
    named = place is not None and (place == ENVIRONMENT or place.partition(":")[0] == SYSTEM)
    if named or (place is None and os.environ.get(VARIABLE)):
        return find_keys(place)
    file = work.folder / (place or DEFAULT_FILE)
    return find_keys(None if place is None and not file.exists() else str(file))

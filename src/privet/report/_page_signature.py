"""The signature on a page: a comment at its end, on everything before it."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from privet.evidence import FIELD, Signing, read_json

KIND = "report-page"
_COMMENT = re.compile(r"<!-- privet-evidence (\{[^<>]*\}) -->\n\Z")


def signed_page(page: str, signing: Signing | None) -> str:
    """The page with its signature, where there is a signer."""
    if signing is None:
        return page
    signature = signing.signature(_record(page), f"privet/{KIND}")
    text = json.dumps(signature.to_json(), separators=(",", ":"))
    return f"{page}<!-- privet-evidence {text} -->\n"


def page_record(page: str) -> dict[str, Any]:
    """What is signed of a page, with the signature if it has one; raises ValueError where that is none."""
    found = _COMMENT.search(page)
    if found is None:
        return _record(page)
    signature = read_json(found.group(1), what="the signature of the page", largest=10_000)
    return {**_record(page[: found.start()]), FIELD: signature}


def _record(page: str) -> dict[str, Any]:
    return {"schema": 1, "artifact": KIND, "page": hashlib.sha256(page.encode()).hexdigest()}

"""Which licence an installed distribution has, and which licences run-time distributions may have.

Read from its metadata alone: the SPDX expression (PEP 639) where it has one, else the classifiers, else the free text.
"""

from __future__ import annotations

import re
from importlib import metadata

# SPDX names that put no condition on a program that uses the library, beyond naming its authors.
PERMISSIVE = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "HPND", "ISC", "MIT", "MIT-0", "MIT-CMU", "PSF-2.0",
    "Unlicense", "Zlib",
}  # fmt: skip
_CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "GNU Lesser General Public License v2 or later (LGPLv2+)": "LGPL-2.1-or-later",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "GNU Library or Lesser General Public License (LGPL)": "LGPL-2.1-or-later",
}
_TEXTS = {
    "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache-2.0": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD-3": "BSD-3-Clause",
    "BSD 3-Clause": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "BSD-2-Clause": "BSD-2-Clause",
    "BSD-3-Clause": "BSD-3-Clause",
    "MIT": "MIT",
    "MIT License": "MIT",
    "LGPL-2.1+": "LGPL-2.1-or-later",
}


def licence_of(name: str) -> str:
    """The SPDX expression of an installed distribution, or "unknown"."""
    told = metadata.metadata(name)
    if told.get("License-Expression"):
        return str(told["License-Expression"])
    classified = [
        line.rpartition(" :: ")[2]
        for line in told.get_all("Classifier") or []
        if line.startswith("License ::")
    ]
    found = sorted({_CLASSIFIERS[one] for one in classified if one in _CLASSIFIERS})
    if found:
        return " OR ".join(found)
    text = str(told.get("License") or "").strip()
    first = text.splitlines()[0].strip() if text else ""
    return _TEXTS.get(text) or _TEXTS.get(first) or "unknown"


def is_permissive(expression: str) -> bool:
    """Whether all that must be kept of an expression is permissive: every part of AND, and one part of OR."""
    if "(" in expression:
        return all(
            one in PERMISSIVE for one in re.findall(r"[\w.+-]+", expression) if one not in ("AND", "OR")
        )
    return all(
        any(one.strip() in PERMISSIVE for one in part.split(" OR ")) for part in expression.split(" AND ")
    )

"""Names that some system keeps for itself: what is written under one here is lost, or goes to a device, where it is taken to.

Windows reads CON, PRN, AUX, NUL, COM0 to COM9 and LPT0 to LPT9 as devices, in any case and with any ending, and cuts dots and
blanks off the end of a name (learn.microsoft.com, "Naming Files, Paths, and Namespaces"). Outputs travel: a folder with
`con.json` in it can be neither unpacked nor opened there, and `a.json.` would take the place of `a.json`.
"""

from __future__ import annotations

from privet.errors import BadUsage

_DIGITS = "0123456789\u00b9\u00b2\u00b3"  # the three superscripts are taken for digits as well
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}
    | {f"{port}{digit}" for port in ("com", "lpt") for digit in _DIGITS}
)


def is_reserved(name: str) -> bool:
    """Whether some system takes the name for a device, or for another name; a folder itself and the one above are neither."""
    if name in (".", ".."):
        return False
    return name.partition(".")[0].rstrip(" ").lower() in _DEVICES or name != name.rstrip(". ")


def refuse_reserved(name: str) -> None:
    """Refuse such a name before anything is made under it."""
    if is_reserved(name):
        raise BadUsage(
            "an output has a name that some systems keep for themselves, or that ends with a dot or a blank.",
            "Give it another name: CON, PRN, AUX, NUL, COM1 and LPT1 are devices on Windows, with any ending.",
        )

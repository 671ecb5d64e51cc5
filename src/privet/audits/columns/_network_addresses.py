"""What machines are called: IP and MAC addresses, web addresses, universal identifiers, browsers, hashes."""

from __future__ import annotations

import ipaddress
import re

from privet.audits.columns._column_evidence import Detector

_MAC = re.compile(
    r"[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}|(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}"
)
_UUID = re.compile(
    r"\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?|urn:uuid:[0-9a-f-]{36}",
    re.IGNORECASE,
)
URL = re.compile(r"(?:https?|ftp)://\S+|www\.[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:/\S*)?", re.IGNORECASE)
_HEX = re.compile(r"(?:0x)?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})", re.IGNORECASE)  # fmt: skip
_AGENT = re.compile(r"(?:Mozilla|Opera|Dalvik|curl|okhttp|python-requests)/\d[\w.]*(?: .*)?")
_PICTURE = re.compile(
    r"data:image/.*|/9j/4[A-Za-z0-9+/=]{20,}|iVBORw0KGgo[A-Za-z0-9+/=]{10,}|\S+\.(?:jpe?g|png|heic|webp|tiff?|dcm)",
    re.IGNORECASE | re.DOTALL,
)


def is_ip(text: str) -> bool:
    """An address of version 4 or 6, with or without a network length or port."""
    plain = re.sub(r"/\d{1,3}$", "", text)
    plain = re.sub(r"^(\d+\.\d+\.\d+\.\d+):\d{1,5}$", r"\1", plain)
    if plain.count(".") != 3 and plain.count(":") < 2:
        return False
    try:
        ipaddress.ip_address(plain.strip("[]"))
    except ValueError:
        return False
    return True


def is_mac(text: str) -> bool:
    """Six bytes in one of the usual spellings."""
    return _MAC.fullmatch(text) is not None


def is_uuid(text: str) -> bool:
    """RFC 9562, in any version."""
    return _UUID.fullmatch(text) is not None


def is_url(text: str) -> bool:
    """A web address."""
    return URL.fullmatch(text) is not None


def is_hash(text: str) -> bool:
    """As long as the usual hash functions make it, in hexadecimal digits."""
    return _HEX.fullmatch(text) is not None and not text.isdigit()


def is_picture(text: str) -> bool:
    """A picture inside the cell, or the name of a file that holds one."""
    return _PICTURE.fullmatch(text) is not None


DETECTORS = (
    Detector("user.device.ip_address", is_ip, chance=0.01),
    Detector("user.device.mac_address", is_mac, chance=0.001),
    Detector("user.unique_id.uuid", is_uuid, chance=0.001),
    Detector("user.contact.url", is_url, chance=0.001),
    Detector("user.unique_id.pseudonymous", is_hash, chance=0.001),
    Detector("user.device.user_agent", lambda text: _AGENT.fullmatch(text) is not None, chance=0.001),
    Detector("user.image", is_picture, chance=0.0005),
)

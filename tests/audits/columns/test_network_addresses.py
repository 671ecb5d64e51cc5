"""What machines are called: addresses, identifiers, hashes, browsers and pictures."""

import pytest
from tests.audits.columns.forms import matched, of_category

from privet.audits.columns._network_addresses import (
    DETECTORS,
    is_hash,
    is_ip,
    is_mac,
    is_picture,
    is_url,
    is_uuid,
)


@pytest.mark.parametrize(
    ("test", "yes", "no"),
    [
        (is_ip, "10.0.0.1|2001:db8::1|192.168.0.1/24|10.0.0.1:8080|[2001:db8::1]", "1.2.3|999.1.1.1|12:30|1.2.3.4.5|256.1.1.1"),
        (is_mac, "00:1B:44:11:3A:B7|00-1b-44-11-3a-b7|001b.4411.3ab7", "00:1B:44|00:1B-44:11:3A:B7|00:1G:44:11:3A:B7"),
        (is_uuid, "123e4567-e89b-12d3-a456-426614174000|{123e4567-e89b-12d3-a456-426614174000}", "123e4567e89b|123"),
        (is_url, "https://example.org/a?b=c|www.example.org", "example|http:|a.b|see https://example.org"),
        (is_picture, "scan.JPG|a/b/c.dcm|data:image/png;base64,AAAA", "scan.pdf|jpg|my scan.jpg"),
    ],
    ids=lambda thing: getattr(thing, "__name__", ""),
)  # fmt: skip
def test_forms(test, yes, no):
    assert matched(test, yes) == yes.split("|")
    assert matched(test, no) == []


@pytest.mark.parametrize(
    ("length", "known"), [(31, False), (32, True), (40, True), (41, False), (64, True), (128, True)]
)
def test_hashes_have_the_length_that_functions_give_them(length, known):
    assert is_hash("a0" * (length // 2) + "a" * (length % 2)) == known
    assert not is_hash("1" * length), "digits alone are a number"
    assert not is_hash("g" * length)


def test_browsers_name_themselves_with_a_version():
    kind = "user.device.user_agent"
    assert of_category(DETECTORS, kind, "Mozilla/5.0 (X11; Linux x86_64)")
    assert of_category(DETECTORS, kind, "curl/8.5.0")
    assert not of_category(DETECTORS, kind, "Mozilla is a company")

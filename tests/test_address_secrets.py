"""Passwords are taken out of whatever is shown or kept."""

import base64
from urllib.parse import quote, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import _address_secrets as secrets_of_process
from privet._address_secrets import (
    holds_password,
    keep_secret,
    redacted,
    redacted_values,
    same_address,
    with_password,
    with_reference,
    without_password,
)
from privet.errors import BadUsage

PLAIN = "postgresql://ann@db.example:5432/clinic?sslmode=require#ward.stays"


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets_of_process, "_known", set())


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("postgresql://ann:s3cret@h/db#t", "postgresql://ann@h/db#t"),
        ("postgresql://ann:s3%40cret@h/db#t", "postgresql://ann@h/db#t"),
        ("postgresql://ann:s3@cret@h/db?x=a@b#t", "postgresql://ann@h/db?x=a@b#t"),
        ("postgresql://:s3cret@h/db", "postgresql://@h/db"),
        ("postgresql://ann@h/db?password=s3cret#t", "postgresql://ann@h/db#t"),
        ("postgresql://ann@h/db?sslmode=x&password=s3cret&a=b#t", "postgresql://ann@h/db?sslmode=x&a=b#t"),
        ("postgresql://ann@h/db?sslpassword=s3cret", "postgresql://ann@h/db"),
    ],
)
def test_an_address_is_kept_without_its_password(address: str, kept: str) -> None:
    assert holds_password(address)
    assert without_password(address) == kept
    assert not holds_password(kept)
    told = redacted(f"see {address}, please") + str(BadUsage(address, address, at=[address]).to_json())
    assert "s3" not in told
    assert "cret" not in told


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "patients.csv",
        "postgresql://postgres:@/postgres?host=/tmp/x",
        "postgresql://h:5432/db?options=a@b",
        "postgresql://ann@h/db?password_env=NAME&password_file=/x",
        "SELECT 'a:b@c' FROM t",
    ],
)
def test_what_holds_no_password_stays(text: str) -> None:
    assert not holds_password(text)
    assert without_password(text) == text


def test_no_password_is_left_in_a_text_with_two_addresses() -> None:
    text = "from postgresql://a:one1@h/x to 'postgres://b:two2@h/y?password=three3'"
    assert redacted(text) == "from postgresql://a:***@h/x to 'postgres://b:***@h/y?password=***'"
    told = redacted_values({"a": [text], text: (1, text)})
    assert told["a"] == [redacted(text)]
    assert "two2" not in str(told)


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="*"), min_size=6, max_size=20),
    st.text(st.characters(codec="utf-8"), max_size=5),
)
def test_a_known_secret_is_found_in_every_coding(secret: str, around: str) -> None:
    keep_secret(secret)
    assert secret not in redacted(f"it is {secret}.")
    assert quote(secret, safe="") not in redacted(f"it is {quote(secret, safe='')}.")
    coded = base64.b64encode(f"{around}:{secret}@host".encode()).decode()
    assert redacted(coded) != coded


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=20))
def test_a_password_arrives_as_it_is(secret: str) -> None:
    made = urlsplit(with_password(urlsplit(PLAIN), secret))
    assert unquote(made.password or "") == secret
    assert (made.username, made.hostname, made.port, made.path) == ("ann", "db.example", 5432, "/clinic")


def test_a_reference_takes_the_place_of_a_password() -> None:
    made = with_reference("postgresql://ann:s3cret@h/db?sslmode=x#t", "password_env", "NAME")
    assert made == "postgresql://ann@h/db?sslmode=x&password_env=NAME#t"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("postgres://bob:pw@DB.example/clinic?password_env=X#ward.stays", True),
        ("postgresql://db.example:5432/clinic?table=ward.stays", True),
        ("postgresql:///clinic?host=db.example#ward.stays", True),
        ("postgresql://ann@db.example:5433/clinic#ward.stays", False),
        ("postgresql://ann@db.example/other#ward.stays", False),
        ("postgresql://ann@db.example/clinic#ward.beds", False),
        ("postgresql://ann@db.example:port/clinic#ward.stays", False),
    ],
)
def test_an_address_is_known_whoever_asks(other: str, same: bool) -> None:
    assert same_address(PLAIN, other) is same

"""Pictures and pages of an audit: valid, complete, the same each time, and without values."""

import pyarrow as pa
import pytest

from privet.audits import audit
from privet.report._audit_page import audit_page, public_page, save_audit_page

ODD = 'a<b>&"c"'


@pytest.fixture(scope="module")
def found():
    table = pa.table({ODD: [1, 1, 2, 3], "zip": ["1", "2", None, "2"], "s": ["x", "y", "x", "y"]})
    return audit(table, quasi=[ODD, "zip"], sensitive=["s"], unit="row")


def test_pages_are_the_same_each_time_and_escape_names(found) -> None:
    page = audit_page(found)
    assert page == audit_page(found)
    assert ODD not in page
    assert "a&lt;b&gt;&amp;" in page
    assert "What missing values change" in page
    assert ODD not in public_page(found.publishable())


def test_the_page_follows_the_type(found, tmp_path) -> None:
    owner = save_audit_page(found, tmp_path / "a.html").read_text(encoding="utf-8")
    others = save_audit_page(found.publishable(), tmp_path / "p.html").read_text(encoding="utf-8")
    assert "For the owner of the table only" in owner
    assert "For others than the owner" in others


def test_a_page_is_small(found) -> None:
    assert len(audit_page(found).encode()) < 150_000

"""Every page stands in one frame: a policy that lets nothing in, whom it is for, and escaped text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import privet.report
from privet.artifact import OwnerOnly
from privet.report._page import rendered, saved_page, style_sheet

TEMPLATES = Path(privet.report.__file__).parent / "templates"
PAGES = sorted(path.name for path in TEMPLATES.glob("*.html") if path.name not in ("page.html", "parts.html"))
POLICY = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">"


def test_every_page_extends_the_frame_and_brings_no_head_of_its_own() -> None:
    texts = {name: (TEMPLATES / name).read_text(encoding="utf-8") for name in PAGES}
    assert len(texts) >= 8
    assert [name for name, text in texts.items() if not text.startswith('{% extends "page.html" %}\n')] == []
    assert [
        name for name, text in texts.items() if re.search("<!doctype|<style|<meta|<footer", text, re.I)
    ] == []


def test_no_template_holds_a_script_an_address_or_an_unescaped_variable() -> None:
    for path in TEMPLATES.iterdir():
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"<script|https?://|\bon\w+=|@import|url\((?!#)|autoescape", text), path.name
        # Only constants may be marked safe.
        assert set(re.findall(r"(\S+)\s*\|\s*safe", text)) <= {'class="n"\'', 'class="unseen"\''}, path.name


def test_the_frame_holds_policy_style_stamp_and_one_main(tmp_path: Path) -> None:
    (TEMPLATES / "audit_public.html").stat()
    page = rendered("page.html", title="<b>T", audience="owner")
    assert POLICY in page
    assert "<title>&lt;b&gt;T</title>" in page
    assert '<p class="stamp owner">For the owner of the data only</p>' in page
    assert (page.count("<main"), page.count("<header"), page.count("<footer"), page.count("<style")) == (
        1,
        1,
        1,
        1,
    )
    assert page == rendered("page.html", title="<b>T", audience="owner")
    assert saved_page(OwnerOnly(page), tmp_path / "p.html").read_text(encoding="utf-8") == page


def test_public_and_owner_pages_cannot_be_confused() -> None:
    owner, public = (rendered("page.html", title="T", audience=who) for who in ("owner", "public"))
    assert '<p class="stamp public">Public version</p>' in public
    assert "For the owner" not in public
    assert "Public version" not in owner
    with pytest.raises(KeyError):
        rendered("page.html", title="T", audience="everybody")  # type: ignore[arg-type]


def test_a_page_s_own_style_comes_after_the_shared_one() -> None:
    page = rendered("page.html", title="T", audience="owner", styles=("run.css",))
    assert page.index(style_sheet("style.css")) < page.index(style_sheet("run.css"))

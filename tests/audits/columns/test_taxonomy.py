"""The categories are whole: every role, all eighteen identifiers of Safe Harbor, all of Art. 9."""

from privet.audits.columns._taxonomy import CATEGORIES, OTHER, ROLES, SAFE_HARBOR


def test_the_taxonomy_is_whole():
    assert {one.role for one in CATEGORIES.values()} == (set(ROLES) - {"insensitive"}) | {"unknown"}
    assert [one.key for one in CATEGORIES.values() if one.role == "unknown"] == ["other"]
    assert OTHER.key == "other"
    assert CATEGORIES["user.criminal_history"].article == 10
    letters = {one.hipaa for one in CATEGORIES.values()} - {None}
    assert letters == set(SAFE_HARBOR) == set("ABCDEFGHIJKLMNOPQR"), "each of the eighteen has a category"
    special = " ".join(one.label for one in CATEGORIES.values() if one.special)
    for word in (
        "racial",
        "religious",
        "political",
        "union",
        "genetic",
        "biometric",
        "health",
        "sexual orientation",
    ):
        assert word in special


def test_convictions_are_not_among_the_special_categories():
    """Art. 10 GDPR is another article than Art. 9(1)."""
    assert not CATEGORIES["user.criminal_history"].special
    assert {one.article for one in CATEGORIES.values()} == {None, 9, 10}


def test_what_safe_harbor_names_is_never_published_as_it_is():
    """An identifier of the eighteen is direct, or known to others, or inside a text: never a plain sensitive value."""
    assert {one.role for one in CATEGORIES.values() if one.hipaa} == {"direct", "quasi", "free text"}


def test_a_category_inside_another_is_no_less_protected():
    """What identifies people directly as a whole does so in its parts."""
    for key, one in CATEGORIES.items():
        outer = CATEGORIES.get(key.rpartition(".")[0])
        if outer is not None and outer.role == "direct":
            assert one.role == "direct", key

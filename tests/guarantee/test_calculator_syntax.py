"""Reading the calculator's language: what is refused, and at which character."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import BadNotation
from privet.guarantee._calculator_notation import parse, unparse
from privet.guarantee._calculator_syntax import CallSyntax, Repeat, Together, read, read_number, refusal


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("", 0, "nothing"),
        ("  ", 2, "nothing"),
        ("laplase(scale=10)", 0, "Did you mean laplace?"),
        ("100 x Laplace(10)", 6, "Did you mean laplace?"),
        ("discrete-gaussian(10)", 0, "Did you mean discrete_gaussian?"),
        ("laplace(scal=10)", 8, "Did you mean scale?"),
        ("laplace()", 0, "lacks scale"),
        ("truncated_poisson(q=0.1, gaussian(1))", 0, "lacks batch and size"),
        ("laplace(scale=1, scale=2)", 17, "given twice"),
        ("laplace(1, scale=2)", 11, "given twice"),
        ("laplace(scale=1, 2)", 17, "without a name"),
        ("laplace(1, 2, 3)", 14, "too many"),
        ("laplace(scale=0)", 14, "greater than zero"),
        ("laplace(scale=-1)", 14, "greater than zero"),
        ("laplace(scale=nan)", 14, "not a number"),
        ("laplace(scale=-Infinity)", 14, "not a number"),
        ("laplace(scale=1e10)", 14, "at most"),
        ("laplace(scale=1e999999999999)", 14, "beyond any use"),
        ("laplace(scale=" + "9" * 500 + ")", 14, "beyond any use"),
        ("laplace(scale=1/0)", 16, "zero"),
        ("laplace(scale=1/)", 16, "after '/'"),
        ("laplace(scale=)", 14, "expected a number"),
        ("laplace(scale=gaussian(1))", 14, "expected a number"),
        ("laplace(10", 7, "never closed"),
        ("laplace(10))", 11, "closes nothing"),
        ("(laplace(10)", 0, "never closed"),
        ("laplace(10) laplace(10)", 12, "expected the end"),
        ("laplace(10) +", 13, "expected a mechanism"),
        ("laplace", 7, "expected '('"),
        ("laplace(10;2)", 10, "expected ','"),
        ("laplace(١٠)", 8, "expected a number"),
        ("ε(1)", 0, "expected a mechanism"),
        ("laplace(\x00)", 8, "unprintable"),
        ("0 x laplace(1)", 0, "from 1 to 1e9"),
        ("-3 x laplace(1)", 0, "from 1 to 1e9"),
        ("1.5 x laplace(1)", 0, "whole number"),
        ("1e10 x laplace(1)", 0, "from 1 to 1e9"),
        ("nan x laplace(1)", 0, "not a number"),
        ("inf x laplace(1)", 0, "not a number"),
        ("100 laplace(1)", 4, "times sign"),
        ("100", 3, "times sign"),
        ("thresholded_keys(1, 2.5)", 20, "whole number"),
        ("thresholded_keys(1, 1)", 20, "2 or more"),
        ("randomized_response(p=0)", 22, "probability"),
        ("poisson(q=2, gaussian(1))", 10, "probability"),
        ("poisson(q=0.1)", 0, "lacks the mechanism"),
        ("poisson(q=0.1, randomized_response(0.5))", 15, "cannot hold"),
        ("poisson(gaussian(1))", 0, "lacks q"),
        ("poisson(q=0.1, laplace(1) + gaussian(1))", 15, "holds one mechanism"),
        ("poisson(q=0.1, laplace(1), gaussian(1))", 27, "holds one mechanism"),
        ("poisson(q=0.1, 2 x (3 x gaussian(1)))", 15, "holds one mechanism"),
        ("poisson(q=0.1, poisson(q=0.1, gaussian(1)))", 15, "cannot hold poisson"),
        ("poisson(q=0.1, 0 x gaussian(1))", 15, "from 1 to 1e9"),
        ("truncated_poisson(0.1, 2, 3, laplace(1))", 29, "cannot hold laplace"),
        ("(" * 99, 30, "deeply"),
        ("? x laplace(1)", 0, "solve"),
        ("laplace(?)", 8, "solve"),
    ],
)  # fmt: skip
def test_refuses_at_the_character(text, position, says):
    with pytest.raises(BadNotation) as caught:
        parse(text)
    assert caught.value.details["position"] == position
    assert caught.value.details["argument"] == 1
    assert says in str(caught.value)
    assert caught.value.exit_code == 2


def test_the_caret_stands_under_the_character():
    with pytest.raises(BadNotation) as caught:
        parse("100 x laplase(scale=10)")
    lines = caught.value.fact.splitlines()
    assert lines[2] == "    100 x laplase(scale=10)"
    assert lines[3] == "    " + " " * 6 + "^"


def test_the_caret_stays_true_in_long_and_wide_text():
    long = " + ".join(["laplace(10)"] * 30) + " + oops(1)"
    with pytest.raises(BadNotation) as caught:
        parse(long)
    text, caret = caught.value.fact.splitlines()[2:4]
    assert len(text) < 80
    assert text[caret.index("^") :].startswith("oops")
    with pytest.raises(BadNotation) as caught:
        parse("laplace(1) + 日本 + é(1)")
    assert caught.value.details["position"] == 13
    with pytest.raises(BadNotation) as caught:
        parse("laplace(1)\n\toops")
    assert "\t" not in caught.value.fact
    assert len(caught.value.fact.splitlines()) == 4


def test_overlong_text_is_refused_quickly():
    with pytest.raises(BadNotation, match="longer"):
        parse("laplace(1)+" * 20_000)


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused_never_anything_else(text):
    try:
        event = parse(text)
    except BadNotation:
        return
    assert parse(unparse(event)) == event


_PIECES = st.sampled_from(
    [
        "laplace",
        "gaussian",
        "poisson",
        "(",
        ")",
        "x",
        "?",
        "1",
        "0.5",
        "/",
        "e",
        "=",
        ",",
        "+",
        "-",
        "q",
        "sigma",
        " ",
    ]
)


@given(st.lists(_PIECES, max_size=14).map("".join))
@settings(max_examples=600, deadline=None)
def test_near_misses_are_read_or_refused_never_anything_else(text):
    place = 0
    try:
        parse(text)
    except BadNotation as error:
        place = error.details["position"]
    assert 0 <= place <= len(text)


@pytest.mark.parametrize(
    ("text", "value"), [("1e-6", Fraction(1, 10**6)), (" 1/3 ", Fraction(1, 3)), ("-2", -2)]
)
def test_a_number_on_its_own(text, value):
    assert read_number(text) == value


@pytest.mark.parametrize("text", ["", "?", "abc", "nan", "1 2", "1e-999999999", "1/0", "0x10", "1,5"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(BadNotation):
        read_number(text)


# --- the tree ---


def test_every_node_knows_where_it_stands():
    tree = read(" laplace(1) + 20 x gaussian( sigma = 2 )")
    assert isinstance(tree, Together)
    assert tree.position == 1
    laplace, many = tree.parts
    assert isinstance(laplace, CallSyntax)
    assert (laplace.position, laplace.numbers["scale"].position) == (1, 9)
    assert isinstance(many, Repeat)
    assert (many.position, many.count.value, many.count.position) == (14, 20, 14)  # exact: numbers as written
    assert isinstance(many.node, CallSyntax)
    assert many.node.numbers["sigma"].value == 2  # exact: a number as written
    assert many.node.numbers["sigma"].position == 37
    assert many.node.inner is None


def test_a_question_mark_is_a_number_without_a_value():
    tree = read("laplace(?)")
    assert isinstance(tree, CallSyntax)
    assert tree.numbers["scale"].value is None


def test_what_is_inside_a_plan_is_a_sum_and_begins_at_its_first_part():
    tree = read("sealed_plan(1e-6, 3 x laplace(1) + gaussian(2) + gaussian(3))")
    assert isinstance(tree, CallSyntax)
    assert isinstance(tree.inner, Together)
    assert tree.inner.position == 18
    assert len(tree.inner.parts) == 3
    one = read("sealed_plan(1e-6, 3 x laplace(1))")
    assert isinstance(one, CallSyntax)
    assert isinstance(one.inner, Repeat)


# --- limits: the last that is read, and the first that is not ---


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        ("(" * 29 + "laplace(1)" + ")" * 29, "(" * 30 + "laplace(1)" + ")" * 30),
        ("laplace(" + "0" * 399 + "1)", "laplace(" + "0" * 400 + "1)"),
        ("laplace(1e-300)", "laplace(1e-301)"),
        ("laplace(1e-0300)", "laplace(1e-00300)"),
        ("laplace(1)".ljust(100_000), "laplace(1)".ljust(100_001)),
    ],
    ids=["depth", "digits", "power", "written power", "text"],
)
def test_limits_are_where_they_are_said_to_be(within, beyond):
    assert read(within)
    with pytest.raises(BadNotation):
        read(beyond)


def test_siblings_are_not_nested():
    assert read(" + ".join(["(laplace(1))"] * 40))


# --- what an error shows ---


def test_a_window_of_sixty_characters_with_dots_where_it_is_cut():
    text = "a" * 40 + "B" + "c" * 40
    shown, caret = refusal(text, 40, "no").fact.splitlines()[2:4]
    assert shown == "    …" + "a" * 30 + "B" + "c" * 29 + "…"
    assert caret == "    " + " " * 31 + "^"
    whole, caret = refusal("x" * 60, 30, "no").fact.splitlines()[2:4]
    assert whole == "    " + "x" * 60
    assert caret == "    " + " " * 30 + "^"
    assert refusal("x" * 61, 30, "no").fact.splitlines()[2] == "    " + "x" * 60 + "…"


def test_wide_characters_take_two_columns_and_combining_ones_none():
    assert refusal("日本x", 2, "no").fact.splitlines()[3] == "    " + " " * 4 + "^"
    assert refusal("e\u0301x", 2, "no").fact.splitlines()[3] == "    " + " " * 1 + "^"


def test_the_character_is_counted_from_one_and_the_text_kept_short():
    error = refusal("y" * 500, 4, "not this", "Write that.", 3)
    assert "(character 5)" in error.fact
    assert error.hint == "Write that."
    assert error.details == {"position": 4, "argument": 3, "text": "y" * 400}


def test_long_names_are_cut():
    with pytest.raises(BadNotation) as caught:
        read("n" * 41 + "(1)")
    assert "n" * 39 + "…" in caught.value.fact
    assert "'" + "n" * 40 not in caught.value.fact
    with pytest.raises(BadNotation) as caught:
        read("n" * 40 + "(1)")
    assert "'" + "n" * 40 + "'" in caught.value.fact


def test_a_name_like_none_gets_the_whole_list():
    with pytest.raises(BadNotation) as caught:
        read("qqqq(1)")
    assert caught.value.hint.startswith("Known: laplace, ")
    with pytest.raises(BadNotation) as caught:
        read("laplace(q=1)")
    assert caught.value.hint == "Known: scale, sensitivity."


@pytest.mark.parametrize(
    ("text", "said"),
    [("laplace(1) ?", "found '?'"), ("laplace(1", "never closed"), ("laplace(1 \x07)", "an unprintable character"),
     ("3", "found the end")],
)  # fmt: skip
def test_what_was_found_is_said(text, said):
    with pytest.raises(BadNotation) as caught:
        read(text)
    assert said in caught.value.fact

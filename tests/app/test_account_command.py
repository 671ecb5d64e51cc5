"""`privet account`: the privacy calculator as people and programs use it."""

import json
import os
import xml.etree.ElementTree as ET

import pytest
from tests.app.doors import Said, listing

from privet.app import _account_command as account
from privet.app import _account_output as account_words
from privet.app import _cli as cli
from privet.guarantee import _events as ev
from privet.guarantee._calculator_notation import parse
from privet.guarantee._composition import epsilon_for

SPEC = ["100 x laplace(scale=10)", "50 x gaussian(sigma=20)", "poisson(q=0.01, 1000 x gaussian(sigma=1.0))"]


@pytest.fixture
def run(capsys):
    def ask(*arguments: str) -> Said:
        with pytest.raises(SystemExit) as ended:
            cli.main(["account", *arguments])
        return Said(ended.value.code, *capsys.readouterr())

    return ask


# --- the number ---


def test_the_example_of_the_help_as_json(run):
    said = run(*SPEC, "--delta", "1e-6", "--json")
    assert said.code == 0
    assert said.err == ""
    data = said.json()
    assert list(data)[:4] == ["epsilon", "delta", "accountant", "grid"]
    assert data["delta"] == pytest.approx(1e-6)
    assert data["accountant"] == "pld"
    assert data["grid"] == pytest.approx(1e-4)
    assert data["mechanisms"] == [*SPEC[:2], "1000 x poisson(q=0.01, gaussian(sigma=1))"]
    composed = ev.Composed([parse(text) for text in SPEC])
    assert data["epsilon"] == epsilon_for(composed, "1e-6").epsilon
    assert 5.5 < data["epsilon"] < 5.6


@pytest.mark.parametrize(
    ("text", "exact"),
    [("10 x laplace(2)", 4.9989), ("100 x gaussian(20)", 2.2540846), ("100 x discrete_laplace(10)", 4.7745)],
)
def test_known_values_from_above(run, text, exact):
    epsilon = float(run(text, "--delta", "1e-6").out)
    assert exact <= epsilon <= exact * 1.01


def test_a_pipe_gets_the_number_alone_and_people_the_words(run):
    said = run("100 x laplace(scale=10)", "--delta", "1e-6")
    assert said.out == f"{epsilon_for(parse('100 x laplace(10)'), '1e-6').epsilon}\n"
    assert "100 times: Laplace noise of scale 10, sensitivity 1" in said.err
    assert "at delta = 1e-6 (privacy-loss distribution, grid 1e-4)" in said.err
    for name in account_words.FULL_NAME.values():
        assert name in said.err
    assert "factor of" in said.err
    assert "\x1b" not in said.out + said.err


def test_the_echo_says_that_samples_are_fresh(run):
    inside = run("poisson(q=0.01, 10 x gaussian(1))", "--delta", "1e-6")
    outside = run("10 x poisson(q=0.01, gaussian(1))", "--delta", "1e-6")
    assert inside == outside
    assert "10 times: on a fresh Poisson sample" in " ".join(inside.err.split())


def test_pure_mechanisms_need_no_delta(run):
    said = run("100 x laplace(scale=10)", "exponential(epsilon=1/2)", "--json")
    assert said.json() | {"mechanisms": None} == {  # exact: a sum of fractions, and one that a float holds
        "epsilon": 10.5,
        "delta": 0.0,
        "accountant": "pure",
        "grid": None,
        "change": "add-or-remove",
        "mechanisms": None,
    }
    assert "delta" not in run("laplace(1)").err


@pytest.mark.parametrize("name", ["pld", "rdp", "zcdp", "pure"])
def test_the_accountant_asked_for_is_the_one_that_answers(run, name):
    data = run("100 x laplace(scale=10)", "--delta", "1e-6", "--accountant", name, "--json").json()
    assert data["accountant"] == name
    assert data["epsilon"] == epsilon_for(parse("100 x laplace(10)"), "1e-6", accountant=name).epsilon
    assert (data["grid"] is None) == (name != "pld")


def test_the_factor_in_the_sentence_is_rounded_up(run):
    assert "a factor of 259 " in run("laplace(scale=1/5.5546)").err, "e^5.5546 is 258.4"
    assert "a factor of 1,700 " in run("laplace(scale=1/7.4366)").err, "and 1697.0"


def test_no_loss_at_all_is_said_plainly(run):
    said = run("randomized_response(p=1)")
    assert float(said.out) == pytest.approx(0)
    assert "Nothing measurable" in said.err


# VaultGemma as it was published: noise multiplier 0.614 over 100,000 steps of 517,989 sequences, and delta 1.1e-10. How many
# sequences there were was not said; 13e12 tokens in sequences of 1,024 cost 1.71, and 9.6e9 sequences the epsilon of 2 that is
# claimed. A batch of so many tokens would cost next to nothing: coarser accounting says 0.012.
@pytest.mark.parametrize(
    ("examples", "low", "high"),
    [(13e12 / 1024, 1.70, 1.72), (9.6e9, 1.995, 2.015), (13e12, 0, 0.012)],
)
def test_published_figures_of_vaultgemma(run, examples, low, high):
    rate = 517_989 / examples
    data = run(
        f"poisson(q={rate:.8g}, 100000 x gaussian(sigma=0.614))", "--delta", "1.1e-10", "--json"
    ).json()
    assert data["accountant"] == "pld"
    assert low <= data["epsilon"] <= high


# --- solving ---


def test_a_parameter_is_solved_for(run):
    target = ["--delta", "1e-6", "--epsilon", "1"]
    data = run("50 x gaussian(sigma=?)", *target, "--json").json()
    assert data["solved"]["parameter"] == "sigma"
    sigma = data["solved"]["value"]
    assert data["mechanisms"] == [f"50 x gaussian(sigma={sigma})"]
    assert data["epsilon"] <= 1
    again = run(f"50 x gaussian(sigma={sigma})", "--delta", "1e-6", "--json").json()
    assert again["epsilon"] == data["epsilon"]
    assert float(run(f"50 x gaussian(sigma={sigma * 0.999})", "--delta", "1e-6").out) > 1
    piped = run("50 x gaussian(sigma=?)", *target)
    assert piped.out == f"{sigma}\n"
    assert f"sigma = {sigma}, the smallest that keeps epsilon at most 1" in piped.err


def test_a_count_is_solved_for(run):
    data = run("? x laplace(scale=10)", "--epsilon", "1", "--json").json()
    assert data["solved"] == {"parameter": "count", "value": 10}
    assert data["epsilon"] == pytest.approx(1.0)
    said = run("? x laplace(scale=10)", "laplace(2)", "--epsilon", "1")
    assert said.out == "5\n"
    assert "count = 5, the largest that keeps epsilon at most 1" in said.err


def test_an_impossible_target_has_its_own_code(run):
    said = run("opaque(epsilon=2)", "laplace(?)", "--epsilon", "1", "--json")
    assert said.code == 2
    assert said.json()["error"]["code"] == "E-GUARANTEE-007"


# --- refusing ---


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["gaussian(1)"], "E-GENERAL-003", "gaussian(sigma=1)"),
        (["laplace(1)", "opaque(1, delta=1e-9)"], "E-GENERAL-003", "opaque(epsilon=1, delta=1e-9)"),
        (["gaussian(?)", "--epsilon", "1"], "E-GENERAL-003", "--delta"),
        (["laplace(1)", "--accountant", "pld"], "E-GENERAL-003", "needs a delta"),
        (["laplace(1)", "--accountant", "magic"], "E-GENERAL-003", "magic"),
        (["laplace(1)", "--change", "sideways"], "E-GENERAL-003", "sideways"),
        (["laplace(1)", "--nonsense"], "E-GENERAL-003", "--nonsense"),
        ([], "E-GENERAL-003", "MECHANISM"),
        (["laplace(?)"], "E-GENERAL-003", "--epsilon"),
        (["laplace(1)", "--epsilon", "1"], "E-GENERAL-003", "nothing is left to solve"),
        (["laplace(?)", "--epsilon", "0"], "E-GENERAL-003", "greater than zero"),
        (["laplace(?)", "--epsilon", "lots"], "E-GENERAL-003", "--epsilon"),
        (["laplace(?)", "gaussian(?)", "--epsilon", "1"], "E-GUARANTEE-006", "second"),
        (["laplase(1)"], "E-GUARANTEE-006", "Did you mean laplace?"),
        ([""], "E-GUARANTEE-006", "nothing"),
        (["gaussian(1)", "--delta", "1e-6", "--accountant", "pure"], "E-GUARANTEE-005", "gaussian(sigma=1)"),
        (["zcdp(1)", "laplace(1)", "--delta", "1e-6", "--accountant", "pld"], "E-GUARANTEE-005", "zcdp(rho=1)"),
        (["poisson(0.1, gaussian(1))", "--delta", "1e-6", "--change", "replace"], "E-GUARANTEE-005", ""),
        (["opaque(1, delta=1e-3)", "--delta", "1e-6"], "E-GENERAL-003", "no finite epsilon"),
        (["1e9 x (2 x laplace(1e9))", "--delta", "1e-6"], "E-GENERAL-003", "1e9"),
    ],
)  # fmt: skip
def test_refusals_are_usage_errors_with_a_hint(run, arguments, code, says):
    said = run(*arguments, "--json")
    assert said.code == 2
    error = said.json()["error"]
    assert error["code"] == code
    assert says in error["message"] + error["hint"]
    assert error["hint"]
    assert said.err == ""
    spoken = run(*arguments)
    assert spoken.code == 2
    assert spoken.out == ""
    assert code in spoken.err
    assert "Traceback" not in spoken.err


@pytest.mark.parametrize(
    "delta", ["0", "1", "-1e-6", "2", "nan", "inf", "abc", "", "1e-999999999", "1e-40", "?", "1/0"]
)
def test_a_delta_is_a_probability(run, delta):
    said = run("gaussian(1)", "--delta", delta, "--json")
    assert said.code == 2
    assert said.json()["error"]["code"] == "E-GENERAL-003"
    assert "--delta" in said.json()["error"]["message"]


def test_a_delta_may_be_a_fraction(run):
    assert run("gaussian(1)", "--delta", "1/1000000").out == run("gaussian(1)", "--delta", "1e-6").out


def test_bad_notation_points_at_the_character(run):
    said = run("laplace(1)", "100 x gaussian(sigm=20)", "--delta", "1e-6")
    lines = said.err.splitlines()
    (row,) = [index for index, line in enumerate(lines) if "100 x gaussian(sigm=20)" in line]
    assert lines[row + 1].index("^") == lines[row].index("sigm")
    details = run("laplace(1)", "100 x gaussian(sigm=20)", "--json").json()["error"]["details"]
    assert details == {"position": 15, "argument": 2, "text": "100 x gaussian(sigm=20)"}


# --- the picture ---


def test_the_picture_is_written_and_the_same_each_time(run, tmp_path):
    first, second = tmp_path / "first.svg", tmp_path / "second.svg"
    assert run("100 x laplace(10)", "--delta", "1e-6", "--plot", str(first)).code == 0
    assert run("100 x laplace(10)", "--delta", "1e-6", "--plot", str(second), "--json").code == 0
    assert first.read_bytes() == second.read_bytes()
    root = ET.parse(first).getroot()
    assert "100 x laplace(scale=10)" in root[0].text
    epsilon = epsilon_for(parse("100 x laplace(10)"), "1e-6").epsilon
    assert f"Epsilon is {epsilon:.4g} at delta 1e-06" in root[1].text
    assert listing(tmp_path) == ["first.svg", "second.svg"]


def test_pure_and_delta_spending_mechanisms_can_be_drawn(run, tmp_path):
    for index, arguments in enumerate((["laplace(1)"], ["opaque(1, 1e-8)", "--delta", "1e-6"])):
        path = tmp_path / f"{index}.svg"
        assert run(*arguments, "--plot", str(path)).code == 0
        ET.parse(path)


def test_a_picture_replaces_the_old_one_whole_and_follows_the_umask(run, tmp_path):
    path = tmp_path / "loss.svg"
    path.write_text("old")
    before = os.umask(0o027)
    try:
        assert run("laplace(1)", "--plot", str(path)).code == 0
    finally:
        os.umask(before)
    assert path.read_text().startswith("<svg")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_picture_that_cannot_be_written_leaves_nothing_behind(run, tmp_path, monkeypatch):
    said = run("laplace(1)", "--plot", str(tmp_path / "missing" / "loss.svg"), "--json")
    assert said.code == 1
    assert said.json()["error"]["code"] == "E-GENERAL-004"
    path = tmp_path / "loss.svg"
    path.write_text("old")

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("privet.artifact._file_calls.os.fsync", full)
    assert run("laplace(1)", "--plot", str(path)).code == 1
    assert path.read_text() == "old"
    assert listing(tmp_path) == ["loss.svg"]


def test_nothing_is_drawn_when_the_question_is_refused(run, tmp_path):
    assert run("gaussian(1)", "--plot", str(tmp_path / "loss.svg")).code == 2
    assert listing(tmp_path) == []


def test_the_help_lists_every_mechanism_and_says_fresh(run):
    said = run("--help")
    assert said.code == 0
    assert "fresh sample" in said.out
    for form in account.BY_NAME:
        assert f"{form}(" in said.out


def test_json_is_plain_ascii(run):
    assert (
        json.loads(run("laplace(é)", "--json").out.encode("ascii"))["error"]["details"]["text"]
        == "laplace(é)"
    )

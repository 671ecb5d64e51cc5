"""What anonymizing takes: every model can be written, and no word of it is passed over."""

import pytest

from privet.errors import BadUsage
from privet.guarantee._promise_registry import parts
from privet.verbs._anonymize_verb import AnonymizeOptions
from privet.verbs._request import RolesStated
from privet.verbs._stated_roles import stated_roles
from privet.verbs._verb_options import read_words, validated

EVERYTHING = {
    "k": 5,
    "l": {"d": 3, "e": "2:entropy", "f": "2:recursive:4"},
    "t": {"d": 0.2, "e": "0.2:ordered"},
    "beta": {"d": "1:enhanced"},
    "delta_disclosure": {"d": 1},
    "alpha": {"d": 0.5},
    "max_risk": 0.2,
    "mean_risk": "0.05",
    "k_map": "5:poisson:0.01:0.05",
    "presence": "0:0.2",
    "population_unique": "0.01:0.1",
}


def test_every_promise_can_be_written() -> None:
    assert len(list(parts(AnonymizeOptions.model_validate(EVERYTHING).promised()))) == 13


def test_words_of_a_command_line_and_values_of_a_policy_are_the_same_promise() -> None:
    words = {
        name: [f"{column}={said}" for column, said in value.items()]
        if isinstance(value, dict)
        else str(value)
        for name, value in EVERYTHING.items()
    }
    said = validated(AnonymizeOptions, read_words(AnonymizeOptions, words))
    assert said == AnonymizeOptions.model_validate(EVERYTHING)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({}, "for a promise"),
        ({"recipe": "hipaa-safe-harbor", "k": 5}, "a rule of its own"),
        ({"alpha": {"d": 0.5}}, "needs the k"),
        ({"l": {"d": 1}}, "2 or more"),
        ({"k": 1}, "greater than or equal to 2"),
        ({"k": True}, "--k"),
    ],
)
def test_what_is_no_promise_is_refused(said: dict, why: str) -> None:
    with pytest.raises(BadUsage, match=why):
        validated(AnonymizeOptions, said)


def test_a_column_whose_name_holds_a_comma() -> None:
    def roles(text: str) -> dict[str, str]:
        return stated_roles(validated(RolesStated, read_words(RolesStated, {"quasi": text})))

    found = roles('"size, cm", "the ""big"" one",age')
    assert found == {"size, cm": "quasi", 'the "big" one': "quasi", "age": "quasi"}
    assert roles(" a , b") == {"a": "quasi", "b": "quasi"}

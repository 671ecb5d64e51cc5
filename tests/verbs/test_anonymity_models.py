"""Anonymity models as people write them: no word is passed over."""

import pytest
from pydantic import ValidationError

import privet as pv
from privet.errors import BadUsage, PrivetError
from privet.guarantee import AlphaK, BetaLikeness, DeltaDisclosure, KMap, PopulationUniqueness
from privet.verbs import _anonymity_models as models
from privet.verbs._anonymize_verb import AnonymizeOptions
from privet.verbs._verb_options import validated


@pytest.mark.parametrize(
    "said",
    [
        {"t": {"d": "0.2:equal:0.1"}},
        {"l": {"d": "3:recursive:4:5"}},
        {"l": {"d": "three"}},
        {"beta": {"d": "1:basic:2"}},
        {"alpha": {"d": "0.5:2"}},
        {"delta_disclosure": {"d": "1:skip:2"}},
        {"population_unique": "0.01:0.1:pitman:zayatz"},
        {"k_map": "5:poisson"},
        {"presence": "0.2"},
    ],
)
def test_no_word_is_passed_over(said: dict) -> None:
    """What is not understood is not left out: a promise would be weaker than what was asked for."""
    with pytest.raises(ValidationError, match="could not be read"):
        AnonymizeOptions.model_validate({"k": 5, **said})
    with pytest.raises(BadUsage, match="could not be read"):
        validated(AnonymizeOptions, {"k": 5, **said})


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (models.l_diversity("d", "3"), pv.LDiversity("d", 3)),
        (models.l_diversity("d", "3:entropy"), pv.LDiversity("d", 3, "entropy")),
        (models.l_diversity("d", "3:recursive:4"), pv.LDiversity("d", 3, "recursive", 4)),
        (models.t_closeness("d", "0.2:ordered"), pv.TCloseness("d", "0.2", "ordered")),
        (models.beta_likeness("d", "1:enhanced"), BetaLikeness("d", 1, "enhanced")),
        (models.delta_disclosure("d", "1:refuse"), DeltaDisclosure("d", 1, "refuse")),
        (models.alpha_k("d", "0.5", 4), AlphaK("d", "0.5", 4)),
        (models.risk_threshold("0.2", None), pv.RiskThreshold(highest="0.2")),
        (models.k_map("5"), KMap(5)),
        (models.k_map("5:poisson:0.01:0.05"), KMap(5, "poisson", "0.01", "0.05")),
        (models.delta_presence("0:0.2"), pv.DeltaPresence(0, "0.2")),
        (models.population_uniqueness("0.01:0.1"), PopulationUniqueness("0.01", "0.1")),
    ],
)
def test_what_is_written_is_what_is_promised(found, wanted):
    assert found == wanted


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (models.l_diversity, ("d", "3:")),
        (models.l_diversity, ("d", "3.5")),
        (models.t_closeness, ("d", "")),
        (models.t_closeness, ("d", ":ordered")),
        (models.alpha_k, ("d", "0.5", None)),
        (models.k_map, ("5:poisson:0.01",)),
        (models.delta_presence, ("0:0.2:0.3",)),
        (models.population_uniqueness, ("0.01",)),
    ],
)
def test_words_too_many_or_too_few_are_refused(read, said):
    with pytest.raises(ValueError, match=r"could not be read|needs the k"):
        models.readable(read, *said)


def test_a_promise_that_makes_no_sense_is_refused_in_its_own_words():
    with pytest.raises(ValueError, match=r"t must|between|above") as refused:
        models.readable(models.t_closeness, "d", "7")
    assert not isinstance(refused.value, PrivetError)
    assert models.all_readable(models.t_closeness, {"a": "0.1", "b": "0.2"}) == [
        pv.TCloseness("a", "0.1"),
        pv.TCloseness("b", "0.2"),
    ]

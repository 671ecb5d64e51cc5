"""What is said of texts to be synthesized: where they are, who writes the synthetic ones, and how they evolve."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from privet.dataset import Positive
from privet.errors import BadSynthesis
from privet.guarantee import ApproxDP
from privet.verbs._verb_options import Flag, Options

if TYPE_CHECKING:
    from privet.artifact import ReleasedTwin
    from privet.protect.synthesize.evolution import EvolutionPlan
    from privet.source import Table
    from privet.verbs._verb import VerbWork


class SampleWishes(Options):
    """Texts by Private Evolution: all of these need a generator."""

    generator: Annotated[
        str | None,
        Field(
            description="Who writes texts: https://host/v1#model, a .gguf file, a model's folder, or a .yaml file of phrases."
        ),
        Flag(example="phrases.yaml"),
    ] = None
    generator_key: Annotated[
        str | None,
        Field(description="The environment variable that holds the key of the generator's address."),
    ] = None
    prompts: Annotated[
        str | None,
        Field(
            description="A .yaml file of what a language model is asked: random, variation, styles, words [default: pv.Prompts()]."
        ),
        Flag(file="in", example="prompts.yaml"),
    ] = None
    text: Annotated[str | None, Field(description="The column of the texts."), Flag(example="note")] = None
    label: Annotated[str | None, Field(description="The column of their classes."), Flag(example="ward")] = (
        None
    )
    labels: Annotated[
        list[str] | None,
        Field(description="The public list of classes; texts of others have no vote."),
        Flag(commas=True, example="Surgery,Cardiology"),
    ] = None
    shares: Annotated[
        dict[str, Positive],
        Field(description="Public shares of the classes: Surgery=0.25 [default: bought with noise]."),
        Flag(example="Surgery=0.25"),
    ] = Field(default_factory=dict)
    embedder: Annotated[
        str | None,
        Field(description="A sentence encoder's folder, or https://host/v1#model [default: hashed words]."),
    ] = None
    private_texts_may_go_to: Annotated[
        str | None, Field(description="The host of an embedder to which private texts may be sent.")
    ] = None
    rounds: Annotated[int, Field(ge=1, le=1000, description="How often private texts vote.")] = 6
    population: Annotated[
        int,
        Field(
            ge=1,
            description="How many texts live from round to round; fewer than a third of the private ones.",
        ),
    ] = 200
    votes: Annotated[
        int,
        Field(
            ge=1,
            le=1000,
            description="For how many of the nearest texts each private one votes; several where private ones are few.",
        ),
    ] = 1


def about_samples(options: Any) -> bool:
    """Whether texts are meant; refuses what is half said."""
    said = [
        name
        for name in SampleWishes.model_fields
        if getattr(options, name) != SampleWishes.model_fields[name].get_default(call_default_factory=True)
    ]
    if options.generator is None and said:
        raise BadSynthesis(
            f"{', '.join(said)} is about texts, which a generator writes.",
            "Add --generator phrases.yaml, a .gguf file, a model's folder or https://host/v1#model.",
        )
    return options.generator is not None


def sample_columns(options: Any) -> tuple[str, ...]:
    """The columns that are read."""
    return tuple(name for name in (options.text, options.label) if name is not None)


def sample_plan(table: Table, options: Any, accounting: str, folder: Path) -> EvolutionPlan:
    """What would be booked; reads no row."""
    from privet.protect.synthesize.evolution import planned_evolution

    plan, _ = planned_evolution(
        table,
        ApproxDP(options.epsilon, options.delta),
        accounting=accounting,
        rows=options.rows,
        **_models(options, folder),
        **_said(options),
    )
    return plan


def sample_twin(work: VerbWork) -> ReleasedTwin:
    """Let the texts evolve, or take the rounds that were drawn before."""
    from privet.protect.synthesize.evolution import evolve_samples

    options = work.options
    return evolve_samples(
        work.table,
        ApproxDP(options.epsilon, options.delta),
        rows=options.rows,
        ledger=work.book,
        why=work.why,
        purpose=work.purpose,
        analyst=work.analyst,
        again=work.again,
        progress=work.say,
        **_models(options, work.folder),
        **_said(options),
    )


def sample_outlook(plan: EvolutionPlan, options: Any, folder: Path) -> tuple[str, ...]:
    """What whoever approves a plan reads: rounds, noise, what the generator is asked for, and texts that leave."""
    from privet.protect.synthesize.evolution import evolution_outlook

    generator = _models(options, folder)["generator"]
    return (*evolution_outlook(plan, generator, options.rows), *sent_away(options))


def sent_away(options: Any) -> tuple[str, ...]:
    """What whoever approves a plan reads of texts that leave the machine."""
    host = options.private_texts_may_go_to
    return () if host is None else (f"Private texts are sent to {host} to be embedded.",)


def local_embedder(options: Any, folder: Path) -> Any:
    """The embedder, where it runs on this machine: what is measured for the owner alone is no reason to send texts away."""
    found = _models(options, folder)["embedder"]
    return None if found is None or found.remote is not None else found


def _models(options: Any, folder: Path) -> dict[str, Any]:
    from privet.protect.synthesize.evolution import named_embedder, named_generator

    return {
        "generator": named_generator(
            options.generator, folder, key=options.generator_key, prompts=options.prompts
        ),
        "embedder": named_embedder(options.embedder, folder, allowed=options.private_texts_may_go_to),
    }


def _said(options: Any) -> dict[str, Any]:
    from privet.protect.synthesize.evolution import EvolutionSettings

    return {
        "text": options.text,
        "label": options.label,
        "labels": options.labels,
        "shares": {name: float(share) for name, share in options.shares.items()} or None,
        "settings": EvolutionSettings(
            rounds=options.rounds, population=options.population, votes=options.votes
        ),
    }

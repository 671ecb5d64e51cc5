"""Generators and embedders by a short text."""

from pathlib import Path

import pytest

from privet.errors import BadSynthesis, PrivetError
from privet.protect.synthesize.evolution import (
    HashedWords,
    OpenAICompatible,
    Phrases,
    Prompts,
    RemoteEmbedder,
    named_embedder,
    named_generator,
)

PHRASES = 'templates: ["{who} came in"]\nwords: {who: [A child, A man]}\n'


def test_each_form_names_its_kind(tmp_path) -> None:
    (tmp_path / "p.yaml").write_text(PHRASES)
    assert isinstance(named_generator("p.yaml", tmp_path), Phrases)
    chat = named_generator("http://127.0.0.1:9/v1#small", tmp_path, key="KEY")
    assert isinstance(chat, OpenAICompatible)
    assert (chat.model, chat.endpoint.url) == ("small", "http://127.0.0.1:9/v1")
    assert isinstance(named_embedder(None, tmp_path), HashedWords)
    away = named_embedder("https://host.example/v1#e", tmp_path, allowed="host.example")
    assert isinstance(away, RemoteEmbedder)


@pytest.mark.parametrize(
    "said", ["http://127.0.0.1:9/v1", "https://host.example/v1#", "nothing.gguf", "nothing", "nothing.yaml"]
)
def test_what_names_nothing_is_refused(tmp_path, said) -> None:
    with pytest.raises(PrivetError):
        named_generator(said, tmp_path)


def test_a_key_is_for_an_address(tmp_path) -> None:
    (tmp_path / "p.yaml").write_text(PHRASES)
    with pytest.raises(BadSynthesis):
        named_generator("p.yaml", tmp_path, key="KEY")


def test_private_texts_go_nowhere_unsaid(tmp_path) -> None:
    with pytest.raises(BadSynthesis, match="another machine"):
        named_embedder("https://host.example/v1#e", tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "templates: 3",
        "templates: [a]\nwords: [b]",
        "templates: [a]\nelse: 1",
        "templates: [3]",
        "{",
        "a: " + "[" * 50_000,
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path, text) -> None:
    (tmp_path / "p.yaml").write_text(text)
    with pytest.raises(PrivetError):
        named_generator("p.yaml", tmp_path)


ADDRESS = "http://127.0.0.1:9/v1#small"


def test_prompts_come_from_a_file_and_make_another_generator(tmp_path) -> None:
    (tmp_path / "q.yaml").write_text(
        'random: "A {style} note of {words} words on {label}."\nstyles: [curt]\nwords: 9\n'
    )
    usual, own = named_generator(ADDRESS, tmp_path), named_generator(ADDRESS, tmp_path, prompts="q.yaml")
    assert own.prompts == Prompts(
        random="A {style} note of {words} words on {label}.", styles=("curt",), words=9
    )
    assert usual.prompts == Prompts()
    (tmp_path / "r.yaml").write_text("words: 41\n")
    told = [one.described() for one in (usual, own, named_generator(ADDRESS, tmp_path, prompts="r.yaml"))]
    assert all(told[at] != told[other] for at, other in ((0, 1), (0, 2), (1, 2)))  # each is another question


def test_the_guide_shows_the_prompts_that_are_used(tmp_path) -> None:
    page = Path(__file__).parents[4] / "docs/guide/synthesize-texts-and-images.md"
    found = next(one for one in page.read_text().split("```") if one.startswith("yaml\nrandom:"))
    (tmp_path / "q.yaml").write_text(found.removeprefix("yaml\n"))
    assert named_generator(ADDRESS, tmp_path, prompts="q.yaml").prompts == Prompts()


@pytest.mark.parametrize(
    "text",
    ["[]", "words: many", "words: true", "styles: plain", "styles: [3]", "tone: kind", "random: '{who}'", "variation: again", "{", "3: 4"],
)  # fmt: skip
def test_a_file_of_something_else_than_prompts_is_refused(tmp_path, text) -> None:
    (tmp_path / "q.yaml").write_text(text)
    with pytest.raises(BadSynthesis):
        named_generator(ADDRESS, tmp_path, prompts="q.yaml")


def test_prompts_that_are_not_there_or_for_nobody_are_refused(tmp_path) -> None:
    with pytest.raises(PrivetError, match=r"q\.yaml cannot be read"):
        named_generator(ADDRESS, tmp_path, prompts="q.yaml")
    (tmp_path / "p.yaml").write_text(PHRASES)
    with pytest.raises(BadSynthesis, match="phrases are asked nothing"):
        named_generator("p.yaml", tmp_path, prompts="q.yaml")

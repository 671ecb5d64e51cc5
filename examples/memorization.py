"""What a language model recites: near duplicates before training, canaries, and the same questions to two models after it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from transformers import LlamaConfig, LlamaForCausalLM

import privet as pv
from privet.examples import hospital

torch.set_num_threads(1)


class Bytes:
    """A tokenizer whose tokens are bytes."""

    def encode(self, text: str) -> list[int]:
        """Its bytes."""
        return list(text.encode())

    def decode(self, tokens: list[int]) -> str:
        """The text of bytes."""
        return bytes(tokens).decode(errors="replace")


def trained(texts: list[str], epochs: int) -> LlamaForCausalLM:
    """A small transformer over bytes, trained in the usual way: without any protection."""
    torch.manual_seed(0)
    shape = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    network = LlamaForCausalLM(
        LlamaConfig(vocab_size=256, max_position_embeddings=128, tie_word_embeddings=True, **shape)
    )
    steps = torch.optim.AdamW(network.parameters(), lr=4e-3, weight_decay=0.0)
    for _ in range(epochs):
        for at in range(0, len(texts), 16):
            rows = [list(text.encode())[:128] for text in texts[at : at + 16]]
            longest = max(map(len, rows))
            given = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
            labels = torch.tensor([row + [-100] * (longest - len(row)) for row in rows])
            steps.zero_grad()
            network(given, labels=labels).loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            steps.step()
    return network.eval()


# Before training: which notes stand in the data more than once?
stays = hospital(100)
notes = [note for note in stays["note"].to_pylist() if note]
found = pv.near_duplicates(notes)
print(found)
kept = [note for note, first in zip(notes, found.kept, strict=True) if first]
members, control = kept[::2], kept[1::2]

with TemporaryDirectory() as room:
    # Before training: secrets to look for. The record stays with the owner.
    record_file = Path(room) / "canaries.json"
    texts, record = pv.plant_canaries(members, copies={1: 40, 2: 4, 8: 4}, record=record_file, seed=1)

    # Afterwards: a model that was trained on them, and one that was trained on other notes.
    for name, network in (
        ("trained on them", trained(texts, 60)),
        ("trained on others", trained(control, 10)),
    ):
        report = pv.attack((network, Bytes()), canaries=record_file, promise=pv.ApproxDP(2, 1e-6))
        print(f"\n{name}: {report.verdict.value}")
        for row in report["canary-recitation"].details["by copies"]:
            print(
                f"  {row['copies']}: {row['recited']} of {row['canaries']} recited, at most {row['recited at most']:.2f}"
            )
        exposed = report["canary-exposure"]
        print(
            f"  exposure at one copy: {exposed.success.text()} bits; never inserted: {exposed.control.text()} bits"
        )
    page = pv.save_memorization_page(report, Path(room) / "memorization.html").read_text(encoding="utf-8")
    print(f"\nNotes or secrets on the page: {sum(one.secret in page for one in record.canaries)}")

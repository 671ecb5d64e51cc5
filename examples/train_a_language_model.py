"""A byte-level model of a hospital's notes, trained under a promise and without one: what each of them recites."""

from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from transformers import LlamaConfig, LlamaForCausalLM

import privet as pv
from privet.examples import hospital

torch.set_num_threads(1)
promise = pv.ApproxDP(4, 1e-5)

# The notes, each once, with secrets planted among them: some in one note, some in eight.
notes = list(dict.fromkeys(note for note in hospital(100)["note"].to_pylist() if note))


def unprotected(texts: list[str], tokenizer: object) -> LlamaForCausalLM:
    """The same network, trained in the usual way."""
    torch.manual_seed(0)
    shape = {"hidden_size": 64, "intermediate_size": 176, "num_hidden_layers": 2, "num_attention_heads": 4}
    network = LlamaForCausalLM(
        LlamaConfig(vocab_size=257, max_position_embeddings=96, tie_word_embeddings=True, **shape)
    )
    steps = torch.optim.AdamW(network.parameters(), lr=4e-3, weight_decay=0.0)
    for _ in range(60):
        for at in range(0, len(texts), 16):
            rows = [tokenizer.encode(text)[:96] for text in texts[at : at + 16]]
            longest = max(map(len, rows))
            given = torch.tensor([row + [256] * (longest - len(row)) for row in rows])
            labels = torch.tensor([row + [-100] * (longest - len(row)) for row in rows])
            steps.zero_grad()
            network(given, labels=labels).loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            steps.step()
    return network.eval()


with TemporaryDirectory() as room:
    secrets = Path(room) / "canaries.json"
    texts, record = pv.plant_canaries(notes, copies={1: 40, 8: 4}, record=secrets, seed=1)

    ledger = pv.Ledger(Path(room) / "notes.ledger", limit=promise)
    private = pv.train_language_model(
        texts,
        promise,
        unit="document",
        records=150,
        ledger=ledger,
        why="drafts of notes",
        recipe=pv.LanguageRecipe(model="llama-tiny", sequence=96, sequences=1, steps=60, batch=60),
        held_out=["Patient stable, no complaints.", "Slept well."],
    )
    print(private)
    (first, before), (last, after) = private.record.curve[0], private.record.curve[-1]
    print(f"loss on public text: {before:.2f} after step {first}, {after:.2f} after step {last}")

    # A folder that transformers loads, with its card; what was changed in it is not loaded here.
    folder = private.save(Path(room) / "model")
    again = pv.load_language_model(folder)
    print(f"saved and read back: {sorted(one.name for one in folder.iterdir())}")
    print(f"it goes on with 'Pat': {again.generate('Pat', tokens=12)[0]!r}")

    twin = unprotected(texts, private.tokenizer)
    for name, model in (("without a promise", (twin, private.tokenizer)), ("with the promise", again)):
        report = pv.attack(model, canaries=secrets, promise=promise)
        print(f"\n{name}: {report.verdict.value}")
        for row in report["canary-recitation"].details["by copies"]:
            print(f"  {row['copies']}: {row['recited']} of {row['canaries']} recited")
        exposed = report["canary-exposure"]
        print(
            f"  exposure at one copy: {exposed.success.text()} bits; never inserted: {exposed.control.text()} bits"
        )

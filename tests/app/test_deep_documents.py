"""Documents that nest without end, or point at their own parts, end at once and politely at every door that reads one."""

import time
from pathlib import Path

from tests.app.doors import inside
from tests.source_tree import listed

MANY = 100_000
DEEP = {
    "lists.json": "[" * MANY + "]" * MANY,
    "open.json": "[" * MANY,
    "objects.json": '{"a":' * MANY + "1" + "}" * MANY,
    "lists.yaml": "a: " + "[" * MANY + "]" * MANY,
    "objects.yaml": "{a: " * MANY + "1" + "}" * MANY,
    "dashes.yaml": "- " * MANY + "1",
    "marks.yaml": "? " * MANY + "1",
    "steps.yaml": "".join(f"{' ' * at}a:\n" for at in range(2_000)),
}
BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + at)}: &{chr(98 + at)} [*{chr(97 + at)}, *{chr(97 + at)}]\n" for at in range(20)
)


def test_every_door_that_reads_a_document_ends_politely(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("who,age\n" + "".join(f"p{at},{20 + at}\n" for at in range(30)))
    (tmp_path / "model").mkdir()
    faults = []
    for name, text in {**DEEP, "bomb.yaml": BOMB}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / "model" / "model.json").write_text(text)
        (tmp_path / "model" / "weights.safetensors").write_text("")
        schema = ["--schema", name, "--epsilon", "1", "--delta", "1e-6", "--unit", "row", "-o", "m"]
        doors = [["train", "t.csv", "--target", "age", *schema]]
        if name.endswith("json"):
            doors += [
                ["run", name],
                ["ledger", "verify", "absent.ledger", "--receipt", name],
                ["predict", "model", "t.csv", "-o", "x.csv"],
            ]
        else:
            doors += [["plan", "--policy", name], ["gc", "--policy", name], ["hierarchy", "check", name]]
        if name in ("lists.json", "dashes.yaml", "bomb.yaml"):
            doors += [["init", "t.csv", "--yes", "--unit", "who", "--roles", name, "-o", "made.yaml"]]
        for words in doors:
            begun = time.process_time()
            said = inside(*words, "--json", cwd=tmp_path)
            if time.process_time() - begun > 20:
                faults.append(f"{' '.join(words)} took too long")
            code = said.json().get("error", {}).get("code", "E-GENERAL-001")
            if said.code in (0, 130) or code in ("E-GENERAL-001", "E-GENERAL-005"):
                faults.append(f"{' '.join(words)}: {said.out}")
    assert not faults, listed(faults)

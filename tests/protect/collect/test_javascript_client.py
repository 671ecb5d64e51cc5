"""The client in JavaScript: the same reports as the one in Python, in Node and in Chromium; the same distribution otherwise."""

import functools
import http.server
import json
import shutil
import subprocess
import threading
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chisquare
from tests.protect.collect.specifications import ALL, VALUES, collection

import privet.protect.collect
from privet.guarantee.oracles import ORACLES

HERE = Path(__file__).parent
CLIENT = Path(privet.protect.collect.__file__).parent / "device.mjs"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def node(*arguments: str, code: str = "") -> str:
    command = [NODE, *(["--input-type=module", "-e", code] if code else []), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_node
def test_node_makes_the_reports_of_the_shared_vectors() -> None:
    vectors = (HERE / "report_vectors.json", HERE / "device_vectors.json")
    found = json.loads(node(str(HERE / "vectors.mjs"), str(CLIENT), *map(str, vectors)))
    assert found["wrong"] == []
    assert found["checked"] > 500


@needs_node
@pytest.mark.parametrize("kind", ["grr", "l-grr"])
def test_fresh_reports_have_the_chances_of_the_oracle(kind) -> None:
    """False alarm: one in a million."""
    made = collection(kind, 2)
    code = f"""
    const {{ Collection, Stream }} = await import({json.dumps(CLIENT.as_uri())});
    const made = await Collection.of({json.dumps(made.to_json())}), seen = Array(12).fill(0), stream = Stream.fresh();
    for (let i = 0; i < 10000; i++) seen[made.reportFrom("v3", stream).value] += 1;
    console.log(JSON.stringify(seen));
    """
    own, other = map(float, made.protocol.oracle.support())
    expected = 10_000 * np.array([own if value == 3 else other for value in range(12)])
    assert chisquare(json.loads(node(code=code)), expected).pvalue > 1e-6


@needs_node
def test_a_device_in_node_keeps_its_budget_and_its_file_private(tmp_path) -> None:
    made = privet.Collection(
        "emoji", privet.OneOf(["yes", "no"]), privet.LocalDP(2), "grr", per="day", most=2
    )
    path = tmp_path / "phone.json"
    code = f"""
    const {{ Device, fileStorage, envelope }} = await import({json.dumps(CLIENT.as_uri())});
    const phone = await Device.open({json.dumps(made.to_json())}, await fileStorage({json.dumps(str(path))}));
    const said = [];
    for (const value of ["yes", "maybe", "no", "no"]) {{
      try {{ said.push(envelope(await phone.report(value))); }} catch (refusal) {{ said.push(refusal.code); }}
    }}
    console.log(JSON.stringify(said));
    """
    said = json.loads(node(code=code))
    assert said[1] == "E-COLLECT-003"
    assert said[3] == "E-COLLECT-004"
    lines = "\n".join([said[0], said[2]]).encode()
    assert len(privet.protect.collect.intake(lines, made).reports) == 2
    assert path.stat().st_mode & 0o777 == 0o600
    # The same file, read by the client in Python: what was spent there is spent here.
    device = made.device(path)
    assert device.spent == 4


HOSTILE = [
    ("hadamard", {"protocol": {"blocks": 0.5}}),
    ("piecewise", {"protocol": {"window": -65535}}),
    ("subset", {"protocol": {"chosen": 13}}),
    ("grr", {"protocol": {"kind": "constructor"}}),
    ("grr", {"protocol": {"kind": "duchi", "window": 1}}),
    ("grr", {"protocol": {"extra": 1}}),
    ("grr", {"per": "decade"}),
    ("grr", {"most": 2}),
    ("grr", {"memory": "some"}),
    ("grr", {"consent": "given"}),
    ("grr", {"seed": "0x"}),
    ("grr", {"promise": {"epsilon": "33"}}),
    ("grr", {"promise": {"epsilon": "-1"}}),
    ("grr", {"promise": {"promise": "pure-dp"}}),
    ("grr", {"schema": 2}),
    ("grr", {"question": {"values": ["a", "a"]}}),
    ("grr", {"question": {"values": ["a", 1]}}),
    ("l-grr", {"protocol": {"once": 2000}}),
    ("rappor", {"protocol": {"quiet": 200}}),
    ("hcms", {"protocol": {"width": 33}}),
    ("duchi", {"question": {"low": 60}}),
    ("sampled", {"protocol": {"answered": 0}}),
    ("sampled", {"protocol": {"answered": 4}}),
    ("pem", {"protocol": {"first": 9}}),
    ("sfp", {"protocol": {"fragment": 3}}),
]


@needs_node
def test_a_specification_that_would_lead_a_device_astray_is_refused() -> None:
    """It comes from the server. The same in Python: what is not as it would be written there is refused."""
    records = []
    for kind, change in HOSTILE:
        record = json.loads(json.dumps(collection(kind, 2).to_json()))
        for name, value in change.items():
            record[name] = {**record[name], **value} if isinstance(value, dict) else value
        with pytest.raises(privet.PrivetError):
            privet.Collection.from_json(record)
        records.append(record)
    good = [collection(kind, 2).to_json() for kind in ALL]
    code = f"""
    const {{ Collection }} = await import({json.dumps(CLIENT.as_uri())});
    const said = [];
    for (const record of JSON.parse({json.dumps(json.dumps([*records, *good]))})) {{
      try {{ await Collection.of(record); said.push("taken"); }} catch (refusal) {{ said.push(refusal.code ?? String(refusal)); }}
    }}
    console.log(JSON.stringify(said));
    """
    said = json.loads(node(code=code))
    assert said[: len(records)] == ["E-COLLECT-001"] * len(records)
    assert said[len(records) :] == ["taken"] * len(good)


@needs_node
def test_settings_have_the_limits_that_they_have_in_python() -> None:
    code = f"console.log(JSON.stringify((await import({json.dumps(CLIENT.as_uri())})).SETTINGS))"
    ours = {
        kind: {name: list(limits) for name, limits in made.settings.items()} for kind, made in ORACLES.items()
    }
    assert json.loads(node(code=code)) == ours


@needs_node
def test_two_processes_do_not_spend_one_budget_twice(tmp_path) -> None:
    """Eight at once on one file: together they give what is allowed, and the others are refused."""
    made = privet.Collection(
        "a", privet.OneOf(["yes", "no"]), privet.LocalDP(2), "grr", per="lifetime", most=3
    )
    path = tmp_path / "phone.json"
    code = f"""
    const {{ Device, fileStorage }} = await import({json.dumps(CLIENT.as_uri())});
    let phone = null, given = 0;
    for (let tries = 0; tries < 40; tries++) {{
      try {{ phone ??= await Device.open({json.dumps(made.to_json())}, await fileStorage({json.dumps(str(path))})); await phone.report("yes"); given += 1; }}
      catch (refusal) {{ if (refusal.code === "E-COLLECT-004") break; await new Promise((done) => setTimeout(done, 20)); }}
    }}
    console.log(given);
    """
    command = [NODE, "--input-type=module", "-e", code]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    given = [int(one.communicate(timeout=300)[0]) for one in running]
    assert sum(given) == 3
    assert json.loads(path.read_text(encoding="utf-8"))["total"] == 3


@needs_node
def test_a_lock_of_a_process_that_is_gone_holds_nobody_up_and_an_open_file_is_refused(tmp_path) -> None:
    made = collection("l-grr", 2)
    path = tmp_path / "phone.json"
    (tmp_path / "phone.json.node").write_text("4194305", encoding="utf-8")  # above the largest process number
    code = f"""
    const {{ Device, fileStorage }} = await import({json.dumps(CLIENT.as_uri())});
    const open = async () => Device.open({json.dumps(made.to_json())}, await fileStorage({json.dumps(str(path))}));
    const phone = await open(), said = [];
    try {{ await phone.repeat(); }} catch (refusal) {{ said.push(refusal.code); }}
    await phone.report("v1");
    said.push((await phone.repeat()).collection);
    await (await import("node:fs/promises")).chmod({json.dumps(str(path))}, 0o644);
    try {{ await open(); }} catch (refusal) {{ said.push(refusal.code); }}
    console.log(JSON.stringify(said));
    """
    assert json.loads(node(code=code)) == ["E-COLLECT-004", made.fingerprint, "E-COLLECT-005"]
    assert not (tmp_path / "phone.json.node").exists()


@needs_node
def test_the_epsilon_of_the_client_in_node_is_not_above_its_claim() -> None:
    """Shown from its reports alone, by the attack that is for any client; false alarm: 1e-6."""
    made = collection("oue", 2)

    def report(values):
        code = f"""
        const {{ Collection, Stream }} = await import({json.dumps(CLIENT.as_uri())});
        const made = await Collection.of({json.dumps(made.to_json())}), stream = Stream.fresh();
        console.log(JSON.stringify({json.dumps(values)}.map((value) => made.reportFrom(value, stream))));
        """
        return pa.Table.from_pylist(json.loads(node(code=code)))

    client = privet.LocalClient(report, VALUES, specification=made.to_json(), promise=made.promise)
    found = privet.attack(client, attacks=["local-epsilon"], draws=3_000, values=["v1", "v2"], alarm=1e-6)[0]
    assert found.success.low <= 2
    assert found.success.value > 1


def test_chromium_makes_the_reports_of_the_shared_vectors(tmp_path) -> None:
    """All vectors in a browser, and its storage between tabs; skipped where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    for name, content in (
        ("device.mjs", CLIENT.read_bytes()),
        ("reports.json", (HERE / "report_vectors.json").read_bytes()),
        ("devices.json", (HERE / "device_vectors.json").read_bytes()),
        ("index.html", b"<!doctype html><title>vectors</title>"),
    ):
        (tmp_path / name).write_bytes(content)
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Quiet, directory=str(tmp_path))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    limited = privet.Collection("a", privet.OneOf(["yes", "no"]), privet.LocalDP(2), "grr", per="day", most=2)
    try:
        with sync_api.sync_playwright() as play:
            try:
                browser = play.chromium.launch(executable_path=browser_path)
            except sync_api.Error:
                pytest.skip("Chromium is not installed")
            page = browser.new_page()
            page.set_default_timeout(300_000)
            page.goto(f"http://127.0.0.1:{server.server_port}/index.html")
            found = page.evaluate(IN_A_BROWSER, limited.to_json())
            browser.close()
    finally:
        server.shutdown()
    assert found["wrong"] == []
    assert found["checked"] > 300
    assert sorted(found["tabs"]) == ["E-COLLECT-004", "E-COLLECT-004", "given", "given"]


# Two devices on one storage are two tabs: what they give together is what one may give.
IN_A_BROWSER = """async (limited) => {
  const { Collection, Device, Stream, memoryStorage, browserStorage } = await import("/device.mjs");
  const read = async (name) => (await (await fetch(name)).json()).vectors;
  const sorted = (thing) => JSON.stringify(Object.fromEntries(Object.entries(thing).sort(([a], [b]) => (a < b ? -1 : 1))));
  const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const wrong = [];
  let checked = 0;
  for (const vector of await read("/reports.json")) {
    const made = await Collection.of(vector.specification);
    for (const one of vector.cases) {
      checked += 1;
      if (sorted(made.reportFrom(one.value, Stream.ofBytes(unhex(one.random)))) !== sorted(one.report)) wrong.push(vector.title);
    }
  }
  for (const vector of await read("/devices.json")) {
    const storage = memoryStorage(), phone = await Device.open(vector.specification, storage);
    await storage.save(JSON.stringify({ ...JSON.parse(await storage.load()), secret: vector.secret }));
    for (const one of vector.cases) {
      checked += 1;
      if (sorted(await phone.report(one.value, { occasion: one.occasion })) !== sorted(one.report)) wrong.push(`device ${vector.title}`);
    }
  }
  const tabs = await Promise.all([0, 1].map(() => Device.open(limited, browserStorage("phone"))));
  const given = await Promise.all([...tabs, ...tabs].map((tab) => tab.report("yes").then(() => "given", (refusal) => refusal.code)));
  return { checked, wrong, tabs: given };
}"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map: ClassVar[dict[str, str]] = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
    }

    def log_message(self, *_: object) -> None:
        """Nothing."""

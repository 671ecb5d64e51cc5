// One person's side of a collection under local differential privacy, for browsers and Node. No dependencies.
//
//   import { Device, memoryStorage, envelope } from "./device.mjs";
//   const phone = await Device.open(specification, memoryStorage());
//   const line = envelope(await phone.report("yes"));          // a line of a batch for POST /reports
//
// What a report is, and in which order randomness is read, is said in docs/concept/reports.md; the test vectors are shared with
// the client in Python. Randomness comes from Web Crypto alone. Probabilities are compared as 64-bit integers (BigInt).

const WORD = 1n << 64n, MASK = WORD - 1n, GOLDEN = 0x9E3779B97F4A7C15n, SECOND = 0xD1B54A32D192ED03n;
const FINE = 65536;
const encoder = new TextEncoder();

// ---- exact numbers -------------------------------------------------------------------------------------------------------------

const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a < 0n ? -a : a; };
const frac = (n, d = 1n) => { if (d < 0n) { n = -n; d = -d; } const g = gcd(n, d) || 1n; return [n / g, d / g]; };
const add = (a, b) => frac(a[0] * b[1] + b[0] * a[1], a[1] * b[1]);
const sub = (a, b) => frac(a[0] * b[1] - b[0] * a[1], a[1] * b[1]);
const mul = (a, b) => frac(a[0] * b[0], a[1] * b[1]);
const div = (a, b) => frac(a[0] * b[1], a[1] * b[0]);
const floor = (a) => a[0] / a[1];                       // of what is not negative
const ceil = (a) => (a[0] + a[1] - 1n) / a[1];
const ONE = frac(1n), TWO = frac(2n);

function amount(text) {
  const [, whole, part = "", below] = /^(\d+)(?:\.(\d+))?(?:\/(\d+))?$/.exec(String(text)) ?? [];
  if (whole === undefined) throw new Refusal("E-COLLECT-001", "the epsilon of the specification cannot be read.");
  return frac(BigInt(whole + part), 10n ** BigInt(part.length) * BigInt(below ?? "1"));
}

// Just below exp(x), by less than one part in 10^49.
function expBelow(x) {
  const scale = 10n ** 120n, halvings = 24n;
  const small = (x[0] * scale) / (x[1] << halvings);
  let term = scale, sum = scale;
  for (let i = 1n; term; i++) { term = (term * small) / (scale * i); sum += term; }
  for (let i = 0n; i < halvings; i++) sum = (sum * sum) / scale;
  return frac(sum * (10n ** 50n - 1n), scale * 10n ** 50n);
}

// The odds of an oracle are the same for every report, and cost more than all else: they are worked out once.
function remembered(work) {
  const known = new Map();
  return (...given) => {
    const key = given.join(" ");
    if (!known.has(key)) { if (known.size > 1000) known.clear(); known.set(key, work(...given)); }
    return known.get(key);
  };
}

const likelyWords = remembered((epsilon, outputs, likely) => {
  const gain = mul(expBelow(epsilon), frac(BigInt(likely)));
  return floor(div(mul(frac(WORD), gain), add(gain, frac(BigInt(outputs - likely)))));
});

const flipWords = remembered((epsilon) => ceil(div(frac(WORD), add(expBelow(epsilon), ONE))));

const chainedWords = remembered((epsilon, once, outputs) => {
  const first = likelyWords(epsilon, outputs, 1), own = frac(first, WORD), others = frac(BigInt(outputs - 1));
  const other = div(sub(ONE, own), others), gain = expBelow(once);
  const wanted = div(gain, add(gain, others));
  return [first, floor(mul(frac(WORD), div(sub(wanted, other), sub(own, other))))];
});

const chainedFlips = remembered((epsilon, once) => {
  const flip = flipWords(div(epsilon, TWO)), kept = sub(ONE, frac(2n * flip, WORD)), gain = expBelow(div(once, TWO));
  const left = div(div(sub(gain, ONE), add(gain, ONE)), kept);
  return [flip, ceil(mul(frac(WORD), div(sub(ONE, left), TWO)))];
});

// ---- hash functions ------------------------------------------------------------------------------------------------------------

function mix(z) {
  z = ((z ^ (z >> 30n)) * 0xBF58476D1CE4E5B9n) & MASK;
  z = ((z ^ (z >> 27n)) * 0x94D049BB133111EBn) & MASK;
  return z ^ (z >> 31n);
}
const pool = (seed, number) => mix((seed + BigInt(number + 1) * GOLDEN) & MASK);
function hashed(seed, value, bound) {
  const a = mix((seed + GOLDEN) & MASK), b = mix((seed + SECOND) & MASK);
  return Number(((((a * BigInt(value) + b) & MASK) >> 32n) * BigInt(bound)) >> 32n);
}
// Functions of a public pool take mixed values, so that no pool moves the counts of neighbours alike.
const pooled = (seed, value, bound) => hashed(seed, mix((BigInt(value) + GOLDEN) & MASK), bound);
function textWord(codes, seed) {
  let state = seed & MASK;
  for (const code of codes) state = mix(((state ^ BigInt(code + 1)) + GOLDEN) & MASK);
  return state;
}
function parity(x) { let odd = 0; for (; x; x &= x - 1) odd ^= 1; return odd; }

// ---- streams -------------------------------------------------------------------------------------------------------------------

class Exhausted extends Error {}

export class Stream {
  constructor(read) { this.read = read; }
  static fresh() {
    return new Stream((count) => {
      const out = new Uint8Array(count);
      for (let at = 0; at < count; at += 65536) crypto.getRandomValues(out.subarray(at, Math.min(count, at + 65536)));
      return out;
    });
  }
  static ofBytes(bytes) {
    let at = 0;
    return new Stream((count) => {
      if (at + count > bytes.length) throw new Exhausted("the random bytes are used up");
      at += count;
      return bytes.subarray(at - count, at);
    });
  }
  number(bytes) { let n = 0n; const got = this.read(bytes); for (let i = bytes - 1; i >= 0; i--) n = (n << 8n) | BigInt(got[i]); return n; }
  word() { return this.number(8); }
  below(bound) {
    if (bound === 1) return 0;
    const n = BigInt(bound), least = (1n << 32n) % n;
    for (;;) { const m = this.number(4) * n; if ((m & 0xFFFFFFFFn) >= least) return Number(m >> 32n); }
  }
  chance(words) { return words >= WORD || this.word() < words; }
  bits(own, width, ownWords, otherWords) {
    const first = this.read(width), out = new Uint8Array(width), tied = [];
    for (let i = 0; i < width; i++) {
      const top = Number((i === own ? ownWords : otherWords) >> 56n);
      if (first[i] < top) out[i] = 1; else if (first[i] === top) tied.push(i);
    }
    for (const i of tied) if (this.number(7) < ((i === own ? ownWords : otherWords) & ((1n << 56n) - 1n))) out[i] = 1;
    return out;
  }
  keptOrOther(code, outputs, words) {
    if (this.chance(words)) return code;
    const other = this.below(outputs - 1);
    return other + (other >= code ? 1 : 0);
  }
  set(size, count) {
    if (count === 0 || count === size) return Array.from({ length: count }, (_, i) => i);
    for (;;) {
      const got = this.read(4 * size), view = new DataView(got.buffer, got.byteOffset, got.byteLength);
      const keys = Array.from({ length: size }, (_, i) => [view.getUint32(4 * i, true), i]);
      keys.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      if (keys[count - 1][0] !== keys[count][0]) return keys.slice(0, count).map((key) => key[1]).sort((a, b) => a - b);
    }
  }
}

async function keyed(secret, label) {
  const subtle = crypto.subtle;
  const key = await subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await subtle.sign("HMAC", key, encoder.encode(label)));
}
async function counterMode(key, count) {
  const made = await crypto.subtle.importKey("raw", key, "AES-CTR", false, ["encrypt"]);
  const how = { name: "AES-CTR", counter: new Uint8Array(16), length: 128 };
  return new Uint8Array(await crypto.subtle.encrypt(how, made, new Uint8Array(count)));
}
// A function of a stream that is keyed by a secret: tried again with more bytes where they do not suffice.
async function fromKeyed(secret, label, draw) {
  const key = await keyed(secret, label);
  for (let count = 4096; ; count *= 8) {
    try { return draw(Stream.ofBytes(await counterMode(key, count))); } catch (problem) { if (!(problem instanceof Exhausted)) throw problem; }
  }
}

// ---- randomisers ---------------------------------------------------------------------------------------------------------------

function packed(bits) {
  const out = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((bit, i) => { out[i >> 3] |= bit << (i & 7); });
  return btoa(String.fromCharCode(...out));
}
const half = (epsilon) => div(epsilon, TWO);
const once = (o) => frac(BigInt(o.once), 1000n);
const ones = (bits) => [...bits].flatMap((bit, i) => (bit ? [i] : []));

function withParity(drawn, row, wanted) {
  const lowest = row & -row, column = Math.floor(drawn / lowest) * 2 * lowest + (drawn % lowest);
  return parity(column & row) !== wanted ? column | lowest : column;
}

function sketch(o, epsilon, value, stream, seed) {
  const row = stream.below(o.rows), flip = flipWords(half(epsilon));
  return { row, bits: packed(stream.bits(pooled(pool(seed, row), value, o.width), o.width, WORD - flip, flip)) };
}
function pooledHash(o, epsilon, value, stream, seed) {
  const hash = stream.below(o.pool);
  return { hash, value: stream.keptOrOther(pooled(pool(seed, hash), value, o.range), o.range, likelyWords(epsilon, o.range, 1)) };
}
function slid(epsilon, steps, window, position, stream) {
  if (stream.chance(likelyWords(epsilon, steps + window, window))) return position + stream.below(window);
  const drawn = stream.below(steps);
  return drawn < position ? drawn : drawn + window;
}
function rounded(share, steps, stream) {
  const exact = share * steps, below = Math.floor(exact);
  return below + (Number(stream.word() >> 11n) * 2 ** -53 < exact - below ? 1 : 0);
}
function hybrid(o, epsilon, share, stream) {
  const mixed = epsilon[0] * 100n <= 61n * epsilon[1] ? WORD : exactWords(Math.exp(-Number(epsilon[0]) / Number(epsilon[1]) / 2));
  if (stream.chance(mixed)) return FINE + o.window + slid(epsilon, 1, 1, rounded(share, 1, stream), stream);
  return slid(epsilon, FINE, o.window, rounded(share, FINE, stream), stream);
}
const exactWords = (chance) => BigInt(Math.floor(chance * 2 ** 53)) << 11n | BigInt(Math.floor((chance * 2 ** 53 % 1) * 2048));

const RESPOND = {
  grr: (o, e, x, s) => ({ value: s.keptOrOther(x, o.size, likelyWords(e, o.size, 1)) }),
  sue: (o, e, x, s) => { const flip = flipWords(half(e)); return { bits: packed(s.bits(x, o.size, WORD - flip, flip)) }; },
  oue: (o, e, x, s) => ({ ones: ones(s.bits(x, o.size, WORD / 2n, flipWords(e))) }),
  olh: (o, e, x, s) => {
    const seed = s.word();
    return { seed: String(seed), value: s.keptOrOther(hashed(seed, x, o.range), o.range, likelyWords(e, o.range, 1)) };
  },
  flh: pooledHash,
  subset: (o, e, x, s) => {
    const own = s.chance(likelyWords(e, o.size, o.chosen));
    const others = s.set(o.size - 1, o.chosen - (own ? 1 : 0)).map((other) => other + (other >= x ? 1 : 0));
    return { values: (own ? [...others, x] : others).sort((a, b) => a - b) };
  },
  hadamard: (o, e, x, s) => {
    const width = 2 ** Math.ceil(Math.log2(Math.ceil(o.size / o.blocks) + 1)), likely = width / 2, outputs = o.blocks * width;
    const block = x % o.blocks, row = Math.floor(x / o.blocks) + 1;
    if (s.chance(likelyWords(e, outputs, likely))) return { value: block * width + withParity(s.below(likely), row, 0) };
    const drawn = s.below(outputs - likely);
    if (drawn < likely) return { value: block * width + withParity(drawn, row, 1) };
    const apart = drawn - likely, other = Math.floor(apart / width);
    return { value: (other + (other >= block ? 1 : 0)) * width + (apart % width) };
  },
  cms: sketch,
  hcms: (o, e, x, s, seed) => {
    const row = s.below(o.rows), column = s.below(o.width), place = pooled(pool(seed, row), x, o.width);
    const flipped = s.chance(flipWords(e)) ? 1 : 0;
    return { row, column, sign: (1 - parity(place & column)) ^ flipped };
  },
  duchi: (o, e, x, s) => ({ value: slid(e, 1, o.window, rounded(x, 1, s), s) }),
  piecewise: (o, e, x, s) => ({ value: slid(e, FINE, o.window, rounded(x, FINE, s), s) }),
  "square-wave": (o, e, x, s) => ({ value: slid(e, FINE, o.window, rounded(x, FINE, s), s) }),
  hybrid: (o, e, x, s) => ({ value: hybrid(o, e, x, s) }),
};

// Oracles that keep an answer, in four steps: what a device chooses once, the form of a value, the kept answer, one report.
const code = (o, outputs) => ({
  kept: (e, form, own, s) => [s.keptOrOther(form, outputs, chainedWords(e, once(o), outputs)[0])],
  shown: (e, kept, s) => s.keptOrOther(kept[0], outputs, chainedWords(e, once(o), outputs)[1]),
});
const KEEPS = {
  "l-grr": (o) => ({ own: () => [], form: (x) => x, kept: code(o, o.size).kept,
    shown: (e, kept, own, s) => ({ value: code(o, o.size).shown(e, kept, s) }) }),
  loloha: (o) => ({ own: (s) => [s.below(o.pool)], form: (x, own, seed) => pooled(pool(seed, own[0]), x, o.range), kept: code(o, o.range).kept,
    shown: (e, kept, own, s) => ({ hash: own[0], value: code(o, o.range).shown(e, kept, s) }) }),
  "l-sue": (o) => ({ own: () => [], form: (x) => x,
    kept: (e, form, own, s) => { const [flip] = chainedFlips(e, once(o)); return [...s.bits(form, o.size, WORD - flip, flip)]; },
    shown: (e, kept, own, s) => {
      const [, flip] = chainedFlips(e, once(o)), turned = s.bits(-1, o.size, flip, flip);
      return { bits: packed(kept.map((bit, i) => bit ^ turned[i])) };
    } }),
  dbitflip: (o) => ({ own: (s) => s.set(o.size, o.chosen), form: (x, own) => (own.includes(x) ? own.indexOf(x) : o.chosen),
    kept: (e, form, own, s) => { const flip = flipWords(half(e)); return [...s.bits(form < o.chosen ? form : -1, o.chosen, WORD - flip, flip)]; },
    shown: (e, kept, own) => ({ values: own.map((place, i) => 2 * place + kept[i]) }) }),
  rappor: (o) => ({ own: (s) => [s.below(o.cohorts)], form: (x) => x,
    kept: (e, form, own, s, seed) => {
      const filter = new Uint8Array(o.bits), flip = flipWords(div(e, frac(BigInt(2 * o.hashes))));
      for (let j = 0; j < o.hashes; j++) filter[pooled(pool(seed, own[0] * o.hashes + j), form, o.bits)] = 1;
      return [...s.bits(-1, o.bits, flip, flip)].map((turned, i) => turned ^ filter[i]);
    },
    shown: (e, kept, own, s) => {
      const drawn = s.read(o.bits);
      return { row: own[0], bits: packed(kept.map((bit, i) => (drawn[i] < (bit ? o.loud : o.quiet) ? 1 : 0))) };
    } }),
};

function respond(oracle, epsilon, x, stream, seed) {
  const keeps = KEEPS[oracle.kind]?.(oracle);
  if (!keeps) return RESPOND[oracle.kind](oracle, epsilon, x, stream, seed);
  const own = keeps.own(stream);
  return keeps.shown(epsilon, keeps.kept(epsilon, keeps.form(x, own, seed), own, stream, seed), own, stream);
}

// ---- the specification ---------------------------------------------------------------------------------------------------------

export class Refusal extends Error {
  constructor(code, fact) { super(`${code}: ${fact}`); this.code = code; }
}

function writtenFloat(x) {
  let text = String(x);
  if (!Number.isInteger(x) && Math.abs(x) >= 1e-4) return text;
  if (Number.isInteger(x) && Math.abs(x) < 1e16) return `${Object.is(x, -0) ? "-0" : text}.0`;
  text = x.toExponential();
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}
const ascii = (text) => text.replace(/[\x7f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
function canonical(thing, name, kind) {
  if (Array.isArray(thing)) return `[${thing.map((one) => canonical(one)).join(",")}]`;
  if (thing !== null && typeof thing === "object") {
    const parts = Object.keys(thing).sort().map((key) => `${ascii(JSON.stringify(key))}:${canonical(thing[key], key, thing.kind)}`);
    return `{${parts.join(",")}}`;
  }
  if (typeof thing === "number" && kind === "number-in" && (name === "low" || name === "high")) return writtenFloat(thing);
  return ascii(JSON.stringify(thing));
}
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

function coded(question, value) {
  const outside = () => new Refusal("E-COLLECT-003", "a value is none that the question has.");
  if (question.kind === "one-of") {
    const found = question.values.indexOf(value);
    if (found < 0) throw outside();
    return found;
  }
  if (question.kind === "number-in") {
    if (typeof value !== "number" || Number.isNaN(value)) throw outside();
    return Math.min(1, Math.max(0, (value - question.low) / (question.high - question.low)));
  }
  if (question.kind === "text-of") {
    const letters = typeof value === "string" ? [...value] : [], alphabet = [...question.alphabet];
    const codes = letters.map((letter) => alphabet.indexOf(letter) + 1);
    if (!codes.length || codes.length > question.length || codes.includes(0)) throw outside();
    return [...codes, ...Array(question.length - codes.length).fill(0)];
  }
  const names = question.questions.map((one) => one.name);
  if (typeof value !== "object" || value === null || Object.keys(value).length !== names.length) throw outside();
  return question.questions.map((one) => { if (!(one.name in value)) throw outside(); return coded(one, value[one.name]); });
}
// Settings of each oracle with the least and the largest number each may be: the same as in Python, where a test compares them.
export const SETTINGS = {
  grr: {}, sue: {}, oue: {}, olh: { range: [2, 2 ** 25] }, flh: { range: [2, 2 ** 25], pool: [2, 2 ** 20] }, subset: { chosen: [1, 2 ** 15] },
  hadamard: { blocks: [1, 2 ** 24] }, cms: { rows: [1, 2 ** 20], width: [2, 2 ** 20] }, hcms: { rows: [1, 2 ** 20], width: [2, 2 ** 20] },
  rappor: { bits: [2, 4096], hashes: [1, 16], cohorts: [1, 4096], quiet: [1, 255], loud: [1, 255] }, dbitflip: { chosen: [1, 2 ** 12] },
  "l-grr": { once: [1, 32000] }, "l-sue": { once: [1, 32000] }, loloha: { range: [2, 2 ** 25], pool: [2, 2 ** 20], once: [1, 32000] },
  duchi: { window: [1, 2 ** 24] }, piecewise: { window: [1, 2 ** 24] }, hybrid: { window: [1, 2 ** 24] }, "square-wave": { window: [1, 2 ** 24] },
};
const NUMBERS = ["duchi", "piecewise", "hybrid", "square-wave"];
const FIELDS = ["schema", "artifact", "name", "question", "promise", "protocol", "columns", "per", "most", "seed", "memory", "shuffler"];

// A specification comes from the server, which a device need not trust: what it could be led astray by is refused.
function verify(record) {
  const wrong = (fact) => { throw new Refusal("E-COLLECT-001", fact); };
  const whole = (value, [least, largest], what) => { if (!Number.isInteger(value) || value < least || value > largest) wrong(`${what} is no whole number within its limits.`); };
  if (record?.artifact !== "collection" || record.schema !== 1) wrong("this is not the specification of a collection.");
  if (Object.keys(record).some((name) => !FIELDS.includes(name))) wrong("the specification has a field that is not known.");
  const { question, promise, protocol, per } = record;
  if (promise?.promise !== "local-dp") wrong("a collection promises local differential privacy.");
  const epsilon = amount(promise.epsilon);
  if (epsilon[0] <= 0n || epsilon[0] > 32n * epsilon[1]) wrong("epsilon lies above 0 and up to 32.");
  if (!["report", "day", "lifetime"].includes(per) || !["none", "value", undefined].includes(record.memory)) wrong("the limit or the memory is of an unknown kind.");
  whole(record.most, [1, 1_000_000], "most");
  if (per === "report" && record.most !== 1) wrong("most counts reports of a day or a lifetime.");
  if (!/^[0-9a-f]{16}$/.test(record.seed)) wrong("a seed is 16 hexadecimal digits.");
  const oracle = (said, asked, share) => {
    const known = Object.hasOwn(SETTINGS, said?.kind) ? SETTINGS[said.kind] : wrong("the oracle is of an unknown kind.");
    if (NUMBERS.includes(said.kind) !== (asked.kind === "number-in")) wrong("the oracle does not fit the question.");
    if (Object.keys(said).some((name) => name !== "kind" && !Object.hasOwn(known, name))) wrong("the oracle has a setting that is not known.");
    for (const [name, limits] of Object.entries(known)) whole(said[name], limits, name);
    const size = asked.kind === "one-of" ? asked.values.length : Infinity;
    if ((said.kind === "subset" && said.chosen >= size) || (said.kind === "dbitflip" && said.chosen > size)) wrong("more is chosen than there is.");
    if (said.kind === "hcms" && said.width & (said.width - 1)) wrong("the width of a Hadamard sketch is a power of two.");
    if (said.kind === "rappor" && (said.quiet >= said.loud || 2 * said.hashes > said.bits)) wrong("the chances or the hashes of RAPPOR do not fit.");
    if ("once" in known && BigInt(said.once) * share[1] >= 1000n * share[0]) wrong("one report has less epsilon than all together.");
  };
  const asked = (one) => {
    if (one?.kind === "one-of") {
      const kinds = new Set(Array.isArray(one.values) ? one.values.map((value) => typeof value) : []);
      if (kinds.size !== 1 || !(kinds.has("string") || kinds.has("number")) || new Set(one.values).size < one.values.length || one.values.length < 2) wrong("categories are texts or whole numbers, each named once.");
      if (kinds.has("number") && !one.values.every(Number.isSafeInteger)) wrong("categories are texts or whole numbers, each named once.");
    } else if (one?.kind === "number-in") {
      if (!Number.isFinite(one.low) || !Number.isFinite(one.high) || !(one.low < one.high)) wrong("the low bound is below the high one.");
    } else wrong("the question is of an unknown kind.");
  };
  if (question?.kind === "several") {
    if (!Array.isArray(question.questions) || protocol?.kind !== "sampled" || protocol.oracles?.length !== question.questions.length) wrong("each question has an oracle.");
    whole(protocol.answered, [1, question.questions.length], "answered");
    const share = div(epsilon, frac(BigInt(protocol.answered)));
    question.questions.forEach((one, number) => { asked(one); oracle(protocol.oracles[number], one, share); });
  } else if (question?.kind === "text-of") {
    whole(question.length, [1, 64], "length");
    if (typeof question.alphabet !== "string" || new Set(question.alphabet).size < [...question.alphabet].length) wrong("an alphabet names characters once each.");
    if (protocol?.kind === "pem") {
      whole(protocol.first, [1, question.length], "first"); whole(protocol.step, [1, 64], "step");
      if (protocol.oracle?.kind !== "flh") wrong("prefixes are reported by flh.");
    } else if (protocol?.kind === "sfp") {
      whole(protocol.fragment, [1, question.length], "fragment");
      if (question.length % protocol.fragment || protocol.oracle?.kind !== "cms") wrong("fragments fill the text, and are reported by cms.");
    } else wrong("the oracle does not fit the question.");
    oracle(protocol.oracle, { kind: "text-of" }, epsilon);
  } else { asked(question); oracle(protocol, question, epsilon); }
}

const sized = (oracle, question) => ({ ...oracle, size: question.kind === "one-of" ? question.values.length : 0 });

export class Collection {
  constructor(record, fingerprint) {
    this.record = record;
    this.fingerprint = fingerprint;
    this.epsilon = amount(record.promise.epsilon);
    this.seed = BigInt(`0x${record.seed}`);
    this.keeps = KEEPS[record.protocol.kind]?.(sized(record.protocol, record.question));
    this.repeats = record.memory === "value";
  }
  static async of(record) {
    verify(record);
    const digest = await crypto.subtle.digest("SHA-256", encoder.encode(canonical(record)));
    return new Collection(record, hex(new Uint8Array(digest)).slice(0, 32));
  }
  stamped(columns) { return { collection: this.fingerprint, ...columns }; }
  // One report about a value from a stream of random bytes.
  reportFrom(value, stream) {
    const { protocol, question } = this.record, x = coded(question, value), { epsilon, seed } = this;
    if (question.kind === "several") {
      const drawn = stream.set(question.questions.length, protocol.answered), share = div(epsilon, frac(BigInt(protocol.answered)));
      const found = {};
      for (const number of drawn) {
        const part = respond(sized(protocol.oracles[number], question.questions[number]), share, x[number], stream, seed);
        for (const [name, column] of Object.entries(part)) found[`${number}_${name}`] = column;
      }
      return this.stamped(found);
    }
    if (protocol.kind === "pem") {
      const lengths = [];
      for (let at = protocol.first; at < question.length; at += protocol.step) lengths.push(at);
      lengths.push(question.length);
      const group = stream.below(lengths.length), word = textWord(x.slice(0, lengths[group]), seed ^ 0x77n);
      return this.stamped({ group, ...pooledHash(protocol.oracle, epsilon, word, stream, seed) });
    }
    if (protocol.kind === "sfp") {
      const group = stream.below(question.length / protocol.fragment), word = textWord(x, seed ^ 0x77n);
      const inside = x.slice(group * protocol.fragment, (group + 1) * protocol.fragment);
      const piece = textWord([Number(word >> 56n), ...inside], seed ^ 0x63n ^ (BigInt(group) << 16n));
      const about = sketch(protocol.oracle, half(epsilon), piece, stream, seed);
      const text = sketch(protocol.oracle, half(epsilon), word, stream, seed);
      return this.stamped({ group, ...about, word_row: text.row, word_bits: text.bits });
    }
    return this.stamped(respond(sized(protocol, question), epsilon, x, stream, seed));
  }
}

// ---- the device ----------------------------------------------------------------------------------------------------------------

// A storage loads and saves a text, and `alone` runs something while nobody else uses it: two reports at once would spend one budget twice.
export function memoryStorage(text = null) {
  return { load: async () => text, save: async (next) => { text = next; }, alone: (act) => act() };
}
export function browserStorage(name) {
  const locks = globalThis.navigator?.locks;
  if (!locks) throw new Refusal("E-COLLECT-005", "this browser has no locks between tabs (Web Locks), so that two of them could spend one budget.");
  return {
    load: async () => localStorage.getItem(name),
    save: async (next) => localStorage.setItem(name, next),
    alone: (act) => locks.request(`privet device ${name}`, act),
  };
}
// For Node: replaced whole, synced, for its owner alone, and used by one process at a time.
export async function fileStorage(path) {
  const fs = await import("node:fs/promises"), lock = `${path}.node`;
  const held = async () => {
    const owner = Number(await fs.readFile(lock, "utf-8").catch(() => "0"));
    if (!owner) return true;                                   // being written this moment
    try { process.kill(owner, 0); return true; } catch (problem) { return problem.code !== "ESRCH"; }
  };
  return {
    alone: async (act) => {
      for (let tries = 0; ; tries++) {
        try { await fs.writeFile(lock, String(process.pid), { flag: "wx", mode: 0o600 }); break; } catch (problem) { if (problem.code !== "EEXIST") throw problem; }
        if (tries > 100 || (tries && await held())) throw new Refusal("E-COLLECT-005", "this device is in use.");
        if (!(await held())) await fs.rm(lock, { force: true });   // its process is gone
      }
      try { return await act(); } finally { await fs.rm(lock, { force: true }); }
    },
    load: async () => {
      const found = await fs.stat(path).catch((problem) => { if (problem.code === "ENOENT") return null; throw problem; });
      if (found === null) return null;
      if (process.platform !== "win32" && found.mode & 0o077) throw new Refusal("E-COLLECT-005", "the file of the device can be read by others than its owner: its secret may be known.");
      return fs.readFile(path, "utf-8");
    },
    save: async (next) => {
      const part = `${path}.${hex(crypto.getRandomValues(new Uint8Array(8)))}`, file = await fs.open(part, "wx", 0o600);
      try { await file.writeFile(next); await file.sync(); } finally { await file.close(); }
      await fs.rename(part, path);
    },
  };
}

const OCCASIONS = 64, VALUES = 10_000;
const share = (x) => { const view = new DataView(new ArrayBuffer(8)); view.setFloat64(0, x); return hex(new Uint8Array(view.buffer)); };
function labelled(question, x) {
  if (question.kind === "several") return question.questions.map((one, number) => labelled(one, x[number]));
  return question.kind === "number-in" ? share(x) : x;
}

export class Device {
  #queue = Promise.resolve();
  constructor(collection, storage) { this.collection = collection; this.storage = storage; }

  // The device whose state a storage holds, or a new one.
  static async open(specification, storage) {
    const found = new Device(await Collection.of(specification), storage);
    await storage.alone(async () => {
      if ((await storage.load()) !== null) return;
      await storage.save(JSON.stringify({
        schema: 1, artifact: "device", collection: found.collection.fingerprint,
        secret: hex(crypto.getRandomValues(new Uint8Array(32))), day: "", today: 0, total: 0, reports: 0, kept: [], last: null, occasions: [],
      }));
    });
    await found.#state();
    return found;
  }

  // A report about a value; refused before anything is drawn where it would go past the budget. One report at a time.
  report(value, { occasion = null, today = new Date().toISOString().slice(0, 10) } = {}) {
    return this.#turn(() => this.#report(value, occasion, today));
  }

  // A report about the value that was reported last, which costs nothing where answers are kept: a device that falls silent
  // when its value changes tells that it changed.
  repeat() {
    return this.#turn(async () => {
      const { collection } = this, state = await this.#state();
      if (state.last === null || !(collection.keeps || collection.repeats)) throw new Refusal("E-COLLECT-004", "there is no kept answer to repeat.");
      const own = collection.keeps && await this.#stream(state, collection.keeps.own, "own");
      const report = collection.repeats ? JSON.parse(state.last) : collection.stamped(collection.keeps.shown(collection.epsilon, state.last, own, Stream.fresh()));
      state.reports += 1;
      await this.storage.save(JSON.stringify(state));
      return report;
    });
  }

  #turn(act) {
    const turn = this.#queue.then(() => this.storage.alone(act));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #report(value, occasion, today) {
    const label = labelled(this.collection.record.question, coded(this.collection.record.question, value));
    const state = await this.#state();
    const told = occasion === null ? null : await this.#tag(state, "occasion", occasion);
    const before = told === null ? undefined : state.occasions.find(([tag]) => tag === told);
    if (before) return JSON.parse(before[1]);
    const report = await this.#answered(state, value, label, occasion, today);
    if (told !== null) state.occasions = [...state.occasions, [told, JSON.stringify(report)]].slice(-OCCASIONS);
    await this.storage.save(JSON.stringify(state));            // on disk before it leaves
    return report;
  }

  async #answered(state, value, label, occasion, today) {
    const { collection } = this, { keeps } = collection;
    const drawn = (draw) => (occasion === null ? draw(Stream.fresh()) : this.#stream(state, draw, "occasion", occasion, label));
    if (collection.repeats) {
      await this.#kept(state, label, today);
      const report = await this.#stream(state, (s) => collection.reportFrom(value, s), "permanent", label);
      state.last = JSON.stringify(report);
      return report;
    }
    if (keeps) {
      const own = await this.#stream(state, keeps.own, "own");
      const form = keeps.form(coded(collection.record.question, value), own, collection.seed);
      await this.#kept(state, form, today);
      const kept = await this.#stream(state, (s) => keeps.kept(collection.epsilon, form, own, s, collection.seed), "permanent", form);
      state.last = kept;
      return collection.stamped(await drawn((s) => keeps.shown(collection.epsilon, kept, own, s)));
    }
    this.#book(state, today);
    return drawn((s) => collection.reportFrom(value, s));
  }

  async #kept(state, form, today) {
    const tag = await this.#tag(state, "kept", form);
    if (state.kept.includes(tag)) { state.reports += 1; return; }
    if (state.kept.length >= VALUES) throw new Refusal("E-COLLECT-004", "a device keeps answers for at most 10,000 values.");
    this.#book(state, today);
    state.kept = [...state.kept, tag];
  }

  #book(state, today) {
    const { per, most } = this.collection.record, day = today > state.day ? today : state.day;
    const given = day === state.day ? state.today : 0;
    if ((per === "day" && given >= most) || (per === "lifetime" && state.total >= most)) {
      throw new Refusal("E-COLLECT-004", "this device has given all that its specification allows for now.");
    }
    Object.assign(state, { day, today: given + 1, total: state.total + 1, reports: state.reports + 1 });
  }

  async #state() {
    const state = JSON.parse(await this.storage.load());
    if (state?.artifact !== "device" || state.schema !== 1 || !/^[0-9a-f]{64}$/.test(state.secret)) {
      throw new Refusal("E-COLLECT-005", "this is not the state of a device.");
    }
    if (state.collection !== this.collection.fingerprint) {
      throw new Refusal("E-COLLECT-005", "this is a device of another specification.");
    }
    return state;
  }
  #said(...label) { return ascii(JSON.stringify(["privet device", this.collection.fingerprint, ...label])); }
  #stream(state, draw, ...label) { return fromKeyed(unhex(state.secret), this.#said(...label), draw); }
  async #tag(state, ...label) { return hex(await keyed(unhex(state.secret), this.#said("tag", ...label))).slice(0, 32); }
}

// A report as a line of a batch, under a random name of its own: sent again with the same name, it is stored once.
export function envelope(report) {
  return JSON.stringify({ id: hex(crypto.getRandomValues(new Uint8Array(16))), report });
}

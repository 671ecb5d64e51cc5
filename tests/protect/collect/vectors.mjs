// Checks the client in JavaScript against the shared vectors: node vectors.mjs CLIENT REPORT_VECTORS DEVICE_VECTORS
import { readFile } from "node:fs/promises";
const [client, reports, devices] = process.argv.slice(2);
const { Collection, Device, Stream, memoryStorage } = await import(client);
const sorted = (thing) => JSON.stringify(Object.fromEntries(Object.entries(thing).sort(([a], [b]) => (a < b ? -1 : 1))));
const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const wrong = [];
let checked = 0;
const check = (title, found, wanted) => { checked += 1; if (found !== wanted) wrong.push(`${title}: ${found} is not ${wanted}`); };
for (const vector of JSON.parse(await readFile(reports, "utf-8")).vectors) {
  const made = await Collection.of(vector.specification);
  check(vector.title, made.fingerprint, vector.fingerprint);
  for (const one of vector.cases) check(vector.title, sorted(made.reportFrom(one.value, Stream.ofBytes(unhex(one.random)))), sorted(one.report));
}
for (const vector of JSON.parse(await readFile(devices, "utf-8")).vectors) {
  const storage = memoryStorage(), phone = await Device.open(vector.specification, storage);
  await storage.save(JSON.stringify({ ...JSON.parse(await storage.load()), secret: vector.secret }));
  for (const one of vector.cases) {
    check(`device ${vector.title}`, sorted(await phone.report(one.value, { occasion: one.occasion })), sorted(one.report));
    check(`device ${vector.title} charged`, String(JSON.parse(await storage.load()).total * Number(vector.specification.promise.epsilon)), one.charged);
  }
}
console.log(JSON.stringify({ checked, wrong }));

// What a label says, against tests/data/label_vectors.json, as tests/dispatch/test_ont_label_parser.py runs it against ours.
// Run with: node --test tests/js/label_parser.test.mjs

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { parseLabel } from "../../static/js/phone/scan/label_parser.js";

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const vendors = read("../../dispatch/data/vendors.json");

for (const { name, codes, expected, fsan, serial_number, unsure } of read("../data/label_vectors.json").vectors) {
  test(name, () => {
    const found = parseLabel(codes, vendors, expected);
    assert.deepEqual([found.fsan, found.serial_number, found.unsure], [fsan, serial_number, unsure]);
  });
}

for (const code of ["{", "[)>", "https://[", "S/N", "S/N:", "(21)", "\x1d", "=".repeat(3000), "{}", "]C1"]) {
  test(`odd code is no value: ${code.slice(0, 12)}`, () => {
    assert.deepEqual(parseLabel([code], vendors).unsure, ["no_fsan", "no_serial_number"]);
  });
}

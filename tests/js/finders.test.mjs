// QR codes with a finder lost: tests/data/finder_vectors.json, which tests/closures/test_finders.py reads too.
// Run with: node --test tests/js/finders.test.mjs

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { loadReader } from "../../static/js/phone/scan/zxing.js";
import { locateFinders, repairFinders } from "../../static/js/phone/scan/finders.js";
import { ATTEMPTS } from "../../static/js/phone/scan/decode_attempts.js";

const file = (name) => readFile(new URL(`../../${name}`, import.meta.url));
const VECTORS = JSON.parse(await file("tests/data/finder_vectors.json"));
const read = await loadReader(await file("static/vendor/zxing/zxing_reader.wasm"));
// as many pixels as a module is wide, and as many modules of paper around the code
const [MODULE, MARGIN] = [4, 12];

function drawn(rows) {
  const edge = (rows.length + 2 * MARGIN) * MODULE;
  const at = (pixel) => Math.floor(pixel / MODULE) - MARGIN;
  const data = Uint8Array.from({ length: edge * edge }, (_none, index) =>
    rows[at(Math.floor(index / edge))]?.[at(index % edge)] === "#" ? 30 : 224);
  return { data, width: edge, height: edge };
}

for (const { text, lost, rows } of VECTORS) {
  test(`a code of ${rows.length} modules that lost its finder at the ${lost} is read`, () => {
    const picture = drawn(rows);
    assert.deepEqual(read(picture, ["QRCode"]), []);
    assert.deepEqual(new Set(repairFinders(picture).flatMap((code) => read(code, ["QRCode"])).map((code) => code.text)), new Set([text]));
    assert.ok(ATTEMPTS.some((attempt) => attempt(picture, read).some((code) => code.text === text)));
  });
}

test("two finders are found and what is left of the third is none", () => {
  const found = locateFinders(drawn(VECTORS[0].rows));
  const middles = found.map(({ x, y }) => [x / MODULE - MARGIN, y / MODULE - MARGIN]).sort(([left], [other]) => left - other);
  assert.deepEqual(middles, [[3.5, 17.5], [17.5, 3.5]]);
  assert.deepEqual(found.map(({ module }) => module), [MODULE, MODULE]);
});

for (const [width, height] of [[1, 1], [2, 60], [60, 2]]) {
  test(`a picture of ${width} by ${height} is no fault`, () => {
    assert.deepEqual(repairFinders({ data: new Uint8Array(width * height), width, height }), []);
  });
}

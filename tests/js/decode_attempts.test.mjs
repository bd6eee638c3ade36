// When a reading counts. Run with: node --test tests/js/decode_attempts.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";

import { moduleSize } from "../../static/js/phone/scan/zxing.js";
import { decodeWithAttempts, createTally } from "../../static/js/phone/scan/decode_attempts.js";

const bars = (text) => ({ text, isSure: false });
const square = (text) => ({ text, isSure: true });
const PICTURE = { data: new Uint8Array(64 * 64), width: 64, height: 64 };

test("a square code counts at once", () => {
  const tally = createTally();
  tally.add([square("CXNK00ABCDEF")]);
  assert.deepEqual([tally.confirmed(), tally.hasUnconfirmed()], [["CXNK00ABCDEF"], false]);
});

test("a bar code counts once two looks agree", () => {
  const tally = createTally();
  tally.add([bars("CXNK00ABCDEF"), bars("CXNK00ABCDEF")]);
  assert.deepEqual([tally.confirmed(), tally.hasUnconfirmed()], [[], true]);
  tally.add([bars("CXNK00ABCDEF")]);
  assert.deepEqual(tally.confirmed(), ["CXNK00ABCDEF"]);
});

test("a square code of very small modules counts once two looks agree", () => {
  const tally = createTally();
  const code = (edge) => ({
    format: "DataMatrix", symbol: { width: 16, height: 16 },
    position: { topLeft: { x: 5, y: 5 }, topRight: { x: 5 + edge, y: 5 }, bottomLeft: { x: 5, y: 5 + edge + 4 } },
  });
  assert.deepEqual([moduleSize(code(40)), moduleSize({ ...code(40), format: "Code128" })], [2.5, 0]);
  tally.add([{ text: "CXNK00ABCDEF", isSure: moduleSize(code(30)) >= 2 }]);
  assert.deepEqual([tally.confirmed(), tally.hasUnconfirmed()], [[], true]);
});

test("a wrong reading that comes once never counts", async () => {
  const readings = [[bars("CXNK00ABCDEE")], [bars("CXNK00ABCDEF")], [bars("CXNK00ABCDEF")]];
  assert.deepEqual(await decodeWithAttempts(PICTURE, () => readings.shift() ?? []), ["CXNK00ABCDEF"]);
});

test("nothing is read from nothing", async () => {
  assert.deepEqual(await decodeWithAttempts(PICTURE, () => []), []);
});

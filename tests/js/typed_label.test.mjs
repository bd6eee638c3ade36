// A label that is typed, against tests/data/typed_label_vectors.json, which tests/dispatch/test_typed_labels.py runs
// against the server's own look; and what is said of a label that is only half typed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { fsanOf, fsanProblem, grouped, serialOf, serialProblem, wrongSoFar } from "../../static/js/phone/app/label.js";

const file = JSON.parse(readFileSync(new URL("../data/typed_label_vectors.json", import.meta.url), "utf8"));

for (const { typed, fsan, problem } of file.fsans) {
  test(`FSAN ${typed}`, () => {
    assert.equal(fsanOf(typed), fsan);
    assert.equal(fsanProblem(fsanOf(typed)), problem);
  });
}

for (const { typed, serial_number: serial, problem } of file.serial_numbers) {
  test(`serial number ${typed}`, () => {
    assert.equal(serialOf(typed), serial);
    assert.equal(serialProblem(serialOf(typed)), problem);
  });
}

test("nothing is said of characters that are still to come", () => {
  for (const typed of ["", "c", "cxnk", "cxnk 00a", "43", "43584E4B"]) assert.equal(wrongSoFar(typed), "", typed);
});

test("the first character that cannot be is named with its place", () => {
  assert.equal(wrongSoFar("cx1"), "Character 3 is 1; the first four are letters.");
  assert.match(wrongSoFar("cxnk 00ab co"), /^Character 10 is O; from the fifth on .* Letter O is often digit 0\.$/);
  assert.equal(wrongSoFar("cxnk00abcdef0"), "An FSAN has 12 characters; this has 13.");
});

test("it is read back in fours", () => {
  assert.equal(grouped("CXNK00ABCDEF"), "CXNK 00AB CDEF");
});

// A label that is typed, against tests/data/typed_label_vectors.json, which tests/dispatch/test_typed_labels.py runs
// against the server's own look; and what is said of a label that is only half typed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { listDifferences, describeDifferences, normalizeFsan, fsanProblem, groupFsan, isAsExpected, isSameDevice, normalizeSerial, serialProblem, partialFsanProblem } from "../../static/js/phone/app/label_validation.js";

const file = JSON.parse(readFileSync(new URL("../data/typed_label_vectors.json", import.meta.url), "utf8"));

for (const { typed, fsan, problem } of file.fsans) {
  test(`FSAN ${typed}`, () => {
    assert.equal(normalizeFsan(typed), fsan);
    assert.equal(fsanProblem(normalizeFsan(typed)), problem);
  });
}

for (const { typed, serial_number: serial, problem } of file.serial_numbers) {
  test(`serial number ${typed}`, () => {
    assert.equal(normalizeSerial(typed), serial);
    assert.equal(serialProblem(normalizeSerial(typed)), problem);
  });
}

test("characters that are still to come are no problem", () => {
  for (const typed of ["", "c", "cxnk", "cxnk 00a", "43", "43584E4B"]) assert.equal(partialFsanProblem(typed), "", typed);
});

test("the first character that cannot be is named with its place", () => {
  assert.equal(partialFsanProblem("cx1"), "Character 3 is 1; the first four are letters.");
  assert.match(partialFsanProblem("cxnk 00ab co"), /^Character 10 is O; from the fifth on .* Letter O is often digit 0\.$/);
  assert.equal(partialFsanProblem("cxnk00abcdef0"), "An FSAN has 12 characters; this has 13.");
});

test("it is read back in fours", () => {
  assert.equal(groupFsan("CXNK00ABCDEF"), "CXNK 00AB CDEF");
});

for (const { name, value, expected, differences, words: texts } of file.compared) {
  test(`${name} ${value} compared with ${expected || "nothing"}`, () => {
    assert.deepEqual(listDifferences(value, expected).map((difference) => [difference.at, difference.is, difference.expected]), differences);
    assert.equal(isAsExpected(value, expected), differences.length === 0);
    assert.deepEqual(differences.length ? describeDifferences(name, value, expected) : [], texts);
  });
}

test("a picture is of the device whose label was read, and of no other that is typed", () => {
  const [fsan, serial_number] = ["CXNK00ABCDEF", "261200123456"];
  for (const [read, typed, isOf] of [
    [{ fsan, serial_number }, { fsan, serial_number }, true],
    // a slip is corrected, and what was not read is typed
    [{ fsan, serial_number }, { fsan: "CXNK00ABCDE8", serial_number }, true],
    [{ fsan, serial_number: "" }, { fsan, serial_number: "9999" }, true],
    [{ fsan: "", serial_number }, { fsan: "ALCL12345678", serial_number }, true],
    [{ fsan, serial_number }, { fsan: "ALCL12345678", serial_number: "9999" }, false],
    [{ fsan, serial_number }, { fsan: "CXNK00990011", serial_number }, false],
    [{ fsan: "", serial_number }, { fsan, serial_number: "880012345678" }, false],
  ]) {
    assert.equal(isSameDevice(read, typed), isOf, JSON.stringify({ read, typed }));
  }
});

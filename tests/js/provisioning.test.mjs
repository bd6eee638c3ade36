// Is the ONT provisioned? Against tests/data/provisioning_vectors.json, as tests/dispatch/test_provisioning_vectors.py
// walks it with real jobs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { currentAdvice, mainAction } from "../../static/js/phone/app/provisioning_advice.js";
import { findClosure, isProvisioned } from "../../static/js/phone/app/workflow.js";
import { applyQueue } from "../../static/js/phone/app/optimistic_state.js";

const file = JSON.parse(readFileSync(new URL("../data/provisioning_vectors.json", import.meta.url), "utf8"));

function jobOf({ last: { fsan, result_id: id } }) {
  const scan = fsan && { fsan, serial_number: "1", scanned_at: "2026-11-23T09:00:00+00:00" };
  const result = id && { result_id: id, success: id < 3 };
  return { id: "J", state: "on_site", answers: {}, photos: {}, scan, result, advice: null, closures: [] };
}

function scannedHere(job, fsan) {
  const body = { fsan, serial_number: "2" };
  const entry = { job: "J", kind: "ont_scanned", occurred_at: "2026-11-23T10:00:00+00:00", body };
  return applyQueue({ jobs: [job] }, [{ state: "pending", entry }]).jobs[0];
}

for (const vector of file.vectors) {
  test(vector.name, () => {
    assert.equal(isProvisioned(jobOf(vector)), vector.provisioned);
    if (vector.then_scanned) assert.equal(isProvisioned(scannedHere(jobOf(vector), vector.then_scanned)), false);
  });
}

test("a result that contradicts itself is read by its number", () => {
  const scan = { fsan: "CXNK00000001" };
  assert.equal(isProvisioned({ scan, result: { result_id: 4, success: true } }), false);
  assert.equal(isProvisioned({ scan, result: { result_id: 1, success: false } }), true);
});

test("an unknown closure code is Other reason, no code is the success", () => {
  const closures = [{ code: "SP", succeeds: true }, { code: "CON", succeeds: false }];
  assert.equal(findClosure({ closures }, "").code, "SP");
  assert.equal(findClosure({ closures }, "CON").code, "CON");
  assert.deepEqual(findClosure({ closures }, "ZZZ"), { code: "OTHER", succeeds: false });
  const offered = { code: "OTHER", succeeds: false, description: "Other reason" };
  assert.equal(findClosure({ closures: [...closures, offered] }, "ZZZ"), offered);
});

// --- an attempt that was promised ---

const PROMISED_AT = Date.parse("2026-11-23T10:00:00Z");
const after = (seconds) => new Date(PROMISED_AT + seconds * 1000).toISOString();
// as phone/provisioning_advice.py tells it
const overdue = { title: "The seller has not tried again", tone: "alarm", call: "0113 496 0000", is_waiting: true };
const promised = { title: "The seller tries again", tone: "warning", until: after(300), overdue_at: after(file.overdue_after_seconds), overdue, is_waiting: true };

for (const { name, result_id: id, seconds, overdue: isOverdue } of file.overdue) {
  test(`overdue: ${name}`, () => {
    const advice = id === 4 ? promised : { title: "Call the order desk", tone: "alarm", call: "0113 496 0000" };
    const now = PROMISED_AT + seconds * 1000;
    assert.equal(currentAdvice(advice, now), isOverdue ? overdue : advice);
  });
}

const matrix = {
  questions: [
    { code: "SAF01", text: "Is it safe?", kind: "yes_no", stage: "safety", job_types: ["installation"], unsafe: ["no"] },
    { code: "WRK01", text: "Where is it?", kind: "text", stage: "work", job_types: ["installation"] },
  ],
};
const delayed = { id: "J", type: "installation", state: "on_site", answers: { SAF01: "yes" }, scan: { fsan: "CXNK00000001" }, result: { result_id: 4 }, closures: [] };

test("an overdue attempt calls the order desk, whether phone or server notices it first", () => {
  assert.equal(mainAction(delayed, matrix, currentAdvice(promised, PROMISED_AT)), "work");
  const here = currentAdvice(promised, PROMISED_AT + 3600_000);
  assert.equal(mainAction(delayed, matrix, here), "call");
  assert.equal(mainAction(delayed, matrix, overdue), "call");
});

test("after a long wait the questions come next; the order desk's number is shown as well", () => {
  const long = { title: "Waiting for the seller", tone: "warning", call: "0113 496 0000", is_waiting: true };
  assert.equal(mainAction({ ...delayed, result: null }, matrix, long), "work");
});

for (const { result_id: id, title, tone, scan_again, calls, main } of file.advice) {
  test(`result ${id}: ${main}`, () => {
    const advice = { title, tone, scan_again, call: calls ? "0113 496 0000" : "" };
    assert.equal(mainAction({ ...delayed, result: { result_id: id } }, matrix, advice), main);
  });
}

test("an answer that stops the work comes before everything", () => {
  assert.equal(mainAction({ ...delayed, answers: { SAF01: "no" } }, matrix, overdue), "stop");
  assert.equal(mainAction({ ...delayed, answers: { SAF01: "no" }, result: { result_id: 1 } }, matrix, null), "stop");
});

test("a device that the seller refuses is scanned again, a provisioned one continues", () => {
  assert.equal(mainAction(delayed, matrix, { tone: "alarm", scan_again: true }), "scan");
  assert.equal(mainAction({ ...delayed, scan: null }, matrix, null), "scan");
  assert.equal(mainAction({ ...delayed, result: { result_id: 1 } }, matrix, null), "next");
  assert.equal(mainAction({ ...delayed, answers: { SAF01: "yes", WRK01: "x" } }, matrix, promised), "");
});

// When an engineer may leave, and which job comes next.

import assert from "node:assert/strict";
import { test } from "node:test";

import { waitsForSignal } from "../../static/js/phone/app/screens/next_job.js";

const matrix = {
  questions: [
    { code: "SAF01", text: "Is it safe?", kind: "yes_no", stage: "safety", job_types: ["installation"], unsafe: ["no"] },
    { code: "WRK01", text: "Where is it?", kind: "text", stage: "work", job_types: ["installation"] },
  ],
};
const answers = { SAF01: "yes", WRK01: "In the loft" };
const job = { id: "J", type: "installation", state: "on_site", answers, closures: [], has_ont_scan: true, scan: { is_pending: true }, result: null };

test("who has answered everything may leave while the scan waits for signal", () => {
  assert.equal(waitsForSignal(job, matrix), true);
  assert.equal(waitsForSignal({ ...job, scan: { is_pending: false } }, matrix), false);
  assert.equal(waitsForSignal({ ...job, answers: { SAF01: "yes" } }, matrix), false);
});

test("leaving is not suggested where an answer has stopped the work", () => {
  assert.equal(waitsForSignal({ ...job, answers: { ...answers, SAF01: "no" } }, matrix), false);
});

// What the phone knows of a line, and when it may be checked.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ageText, canCheckLine, keepLineChecks, lineQuestion, withLineCheck } from "../../static/js/phone/app/line_state.js";

globalThis.document = { documentElement: { lang: "en-GB" } };

const early = { checked_at: "2026-11-23T10:00:00+00:00", code: "CFH001" };
const late = { checked_at: "2026-11-23T11:00:00+01:30", code: "AOK001" };
const later = { checked_at: "2026-11-23T10:05:00+00:00", code: "AOK001" };
const day = (...jobs) => ({ jobs: jobs.map(([id, line_check]) => ({ id, line_check })) });
const codes = ({ jobs }) => jobs.map(({ line_check: check }) => check?.code ?? null);

test("a day that does not know of a check yet keeps it", () => {
  assert.deepEqual(codes(keepLineChecks(day(["A", null], ["B", null]), day(["A", early]))), ["CFH001", null]);
  assert.deepEqual(codes(keepLineChecks(day(["A", early]), undefined)), ["CFH001"]);
});

test("the newest check counts, whatever its zone and whichever came first", () => {
  assert.deepEqual(codes(keepLineChecks(day(["A", early]), day(["A", later]))), ["AOK001"]);
  assert.deepEqual(codes(keepLineChecks(day(["A", later]), day(["A", early]))), ["AOK001"]);
  // 09:30 in Greenwich
  assert.deepEqual(codes(keepLineChecks(day(["A", early]), day(["A", late]))), ["CFH001"]);
});

test("a result goes to its job alone", () => {
  assert.deepEqual(codes(withLineCheck(day(["A", null], ["B", early]), "A", later)), ["AOK001", "CFH001"]);
  assert.deepEqual(codes(withLineCheck(day(["B", null]), "A", later)), [null]);
});

test("an age is said in the unit that fits, and never lies ahead", () => {
  const at = Date.parse(early.checked_at);
  const ages = [-60_000, 0, 59_000, 60_000, 3_599_000, 3_600_000, 26 * 3_600_000].map((age) => ageText(early.checked_at, at + age));
  assert.deepEqual(ages, ["this minute", "this minute", "this minute", "1 minute ago", "59 minutes ago", "1 hour ago", "yesterday"]);
});

const job = { type: "installation", state: "on_site", answers: {}, scan: null, result: null };
const provisioned = { ...job, scan: {}, result: { result_id: 1 } };

test("a line can be checked after provisioning, and for every revisit until it is over", () => {
  assert.equal(canCheckLine(job), false);
  assert.equal(canCheckLine({ ...provisioned, result: { result_id: 4 } }), false);
  assert.equal(canCheckLine(provisioned), true);
  assert.equal(canCheckLine({ ...provisioned, state: "closed" }), false);
  for (const state of ["assigned", "en_route", "on_site"]) assert.equal(canCheckLine({ ...job, type: "revisit", state }), true);
});

test("whoever accompanies leaves the check to the first engineer", () => {
  assert.equal(canCheckLine({ ...provisioned, team: { is_second: true, name: "Erin", call_url: "" } }), false);
});

test("the question that a check answers is the one of the matrix, where it has one", () => {
  const asked = { code: "LIN01", kind: "text", stage: "work", job_types: ["installation"], line_check: true };
  assert.equal(lineQuestion(job, { questions: [asked] }), asked);
  assert.equal(lineQuestion({ ...job, type: "revisit" }, { questions: [asked] }), null);
  assert.equal(lineQuestion(job, { questions: [{ ...asked, line_check: undefined }] }), null);
});

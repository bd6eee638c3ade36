// The day as the server told it, with what this phone did since laid over it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { applyQueue } from "../../static/js/phone/app/optimistic_state.js";

const WHEN = "2026-11-23T09:00:00.000Z";
let at = 0;

function day(more = {}) {
  const job = { id: "A", state: "assigned", answers: {}, photos: {}, scan: null, result: null, advice: null, closures: [], ...more };
  return { name: "Kasia", jobs: [job, { ...job, id: "B", answers: {} }] };
}

function row(kind, body = {}, more = {}) {
  at += 1;
  return { at, state: "pending", outcome: "", problems: [], photo: null, entry: { message_id: `m${at}`, kind, job: "A", occurred_at: WHEN, body }, ...more };
}

const see = (rows, more) => applyQueue(day(more), rows).jobs[0];

test("without entries the day is as the server sent it, and that day is not changed", () => {
  const serverDay = day({ answers: { SAF01: "yes" } });
  const seen = applyQueue(serverDay, [row("answered", { question: "SAF02", value: "no" })]);
  assert.deepEqual(serverDay.jobs[0].answers, { SAF01: "yes" });
  assert.deepEqual(seen.jobs[0].answers, { SAF01: "yes", SAF02: "no" });
  assert.deepEqual(seen.jobs[1].answers, {});
});

test("a tap moves the job before the server has received it", () => {
  assert.equal(see([row("en_route")]).state, "en_route");
  assert.equal(see([row("en_route"), row("on_site")]).state, "on_site");
  assert.equal(see([row("on_site")]).state, "on_site");
});

test("a step that the server knows already moves nothing back", () => {
  assert.equal(see([row("en_route")], { state: "on_site" }).state, "on_site");
  assert.equal(see([row("on_site")], { state: "closed" }).state, "closed");
});

test("what the office ended stays ended", () => {
  assert.equal(see([row("en_route"), row("on_site")], { state: "cancelled" }).state, "cancelled");
});

test("answers count in the order of the taps, and can be taken back", () => {
  const answer = (value) => row("answered", { question: "Q", value });
  assert.equal(see([answer("no"), answer("yes")]).answers.Q, "yes");
  assert.equal("Q" in see([answer("no"), row("answer_withdrawn", { question: "Q" })]).answers, false);
});

test("a refused entry is shown and has no effect", () => {
  const job = see([row("answered", { question: "Q", value: "x" }, { state: "refused", problems: [{ message: "No." }] })]);
  assert.deepEqual([job.answers, job.pending, job.refused.length], [{}, 0, 1]);
});

test("unfinished work that is sent is no answer and no request on this phone, either", () => {
  const job = see([row("answered", { question: "Q", value: "In the lo", unfinished: true }), row("handover_requested", { reason: "x", unfinished: true })]);
  assert.deepEqual([job.answers, job.handover_requested, job.pending], [{}, undefined, 2]);
});

test("an entry that came too late is reported, and did not move the job", () => {
  const job = see([row("en_route", {}, { state: "synced", outcome: "late", problems: [{ message: "Cancelled." }] })]);
  assert.deepEqual([job.state, job.late.problems[0].message], ["assigned", "Cancelled."]);
});

test("only what lies on this phone alone is counted", () => {
  assert.equal(see([row("en_route", {}, { state: "synced" }), row("on_site"), row("answered", { question: "Q", value: 1 })]).pending, 2);
});

test("a new scan puts the seller's answer to the old one away", () => {
  const scan = row("ont_scanned", { fsan: "CXNK00000001", serial_number: "1" });
  const job = see([scan], { scan: { fsan: "OLD", scanned_at: "2026-11-23T08:00:00+00:00" }, result: { success: false } });
  assert.deepEqual([job.scan.fsan, job.scan.is_pending, job.result], ["CXNK00000001", true, null]);
});

test("a scan whose answer was lost keeps the seller's result", () => {
  const scan = row("ont_scanned", { fsan: "CXNK00000001", serial_number: "1" });
  const job = see([scan], { scan: { fsan: "CXNK00000001", scanned_at: "2026-11-23T09:00:00+00:00" }, result: { success: true } });
  assert.deepEqual(job.result, { success: true });
});

test("a closing here closes the job here", () => {
  const job = see([row("close", { code: "SP", remarks: "" })], { state: "on_site" });
  assert.deepEqual([job.state, job.closure.code, job.closure.closed_at], ["closed", "SP", WHEN]);
});

test("a closing that still waits for its photos hides neither a cancellation nor another closing", () => {
  const rows = [row("on_site", {}, { state: "synced", outcome: "late", problems: [] }), row("close", { code: "SP" })];
  const cancelled = see(rows, { state: "cancelled" });
  assert.deepEqual([cancelled.state, cancelled.closure, cancelled.pending], ["cancelled", undefined, 1]);
  const closed = see(rows, { state: "closed", closed_as: "FTA" });
  assert.deepEqual([closed.state, closed.closure], ["closed", undefined]);
});

test("entries of a job that is not on this phone any more hurt nobody", () => {
  const stray = row("answered", { question: "Q", value: "x" });
  stray.entry.job = "GONE";
  assert.equal(applyQueue(day(), [stray]).jobs.length, 2);
});

test("who is on site far away reads it at once, and once", () => {
  const premises = { latitude: 53.8008, longitude: -1.5491 };
  const arrival = row("on_site", { position: { latitude: 53.8108, longitude: -1.5491, accuracy_metres: 12 } });
  const text = "You tapped “I'm on site” 1.1 km from the premises. Check that this is the right job. If it is, continue.";
  assert.deepEqual(see([arrival], premises).notices, [{ rule: "far_from_premises", at: WHEN, words: text }]);
  const notices = [{ rule: "far_from_premises", at: WHEN, words: text }];
  // the day of the server has it already
  assert.deepEqual(see([{ ...arrival, state: "sent" }], { ...premises, state: "on_site", notices }).notices, notices);
  assert.equal(see([row("on_site", { position: { missing_because: "no_fix_in_time" } })], premises).notices, undefined);
});

// The timer of who works alone, as the phone sees it without the server.

import assert from "node:assert/strict";
import test from "node:test";

import "./browser.mjs";
import { isStillRunningAtOffice, runningTimer } from "../../static/js/phone/app/lone_worker.js";

const row = (kind, job, body = {}, state = "pending") => ({
  state,
  entry: { kind, job, body, occurred_at: "2026-11-23T09:00:00.000Z" },
});
const serverDay = { check_in: { job: "J-1", started_at: "2026-11-23T07:30:00.000Z", due_at: "2026-11-23T08:00:00.000Z" } };

test("the server's timer applies until this phone does something", () => {
  assert.equal(runningTimer({}, []), null);
  assert.deepEqual(runningTimer(serverDay, [row("answered", "J-1")]), serverDay.check_in);
});

test("a timer set here runs at once, from its tap", () => {
  const timer = { job: "J-2", started_at: "2026-11-23T09:00:00.000Z", due_at: "2026-11-23T09:30:00.000Z" };
  assert.deepEqual(runningTimer({}, [row("check_in", "J-2", { minutes: 30 })]), { ...timer, isPending: true });
  assert.deepEqual(runningTimer({}, [row("check_in", "J-2", { minutes: 30 }, "synced")]), timer);
});

test("an unsent check-in is marked while the office's timer runs", () => {
  assert.equal(isStillRunningAtOffice(serverDay, [row("check_in_done", "J-1")]), true);
  assert.equal(isStillRunningAtOffice(serverDay, [row("check_in_done", "J-1", {}, "synced")]), false);
  assert.equal(isStillRunningAtOffice({}, [row("check_in_done", "J-1")]), false);
});

test("the office runs a timer that was sent, before the day payload has it", () => {
  const sent = row("check_in", "J-1", { minutes: 30 }, "synced");
  const onlyHere = row("check_in", "J-1", { minutes: 30 });
  const done = row("check_in_done", "J-1");
  assert.equal(isStillRunningAtOffice({}, [sent, done]), true);
  assert.equal(isStillRunningAtOffice({}, [onlyHere, done]), false);
  assert.equal(isStillRunningAtOffice({}, [sent, { ...done, state: "synced" }]), false);
});

test("a check-in and closing its job end the timer; closing another job does not", () => {
  assert.equal(runningTimer(serverDay, [row("check_in_done", "J-1")]), null);
  assert.equal(runningTimer(serverDay, [row("close", "J-1", {}, "synced")]), null);
  assert.deepEqual(runningTimer(serverDay, [row("close", "J-9", {}, "synced")]), serverDay.check_in);
});

test("what the server refused does not count", () => {
  assert.deepEqual(runningTimer(serverDay, [row("check_in_done", "J-1", {}, "refused")]), serverDay.check_in);
});

test("a tap that waits counts, also from a phone that has lost its time", () => {
  const lost = row("check_in_done", "J-1");
  lost.entry.occurred_at = "1970-01-01T00:10:00.000Z";
  assert.equal(runningTimer(serverDay, [lost]), null);
});

test("a closing that came too late did not end the timer at the office", () => {
  assert.deepEqual(runningTimer(serverDay, [{ ...row("close", "J-1", {}, "synced"), outcome: "late" }]), serverDay.check_in);
  assert.equal(runningTimer(serverDay, [row("close", "J-1", {}, "synced")]), null);
});

test("a closing that waits on this phone has not ended the timer at the office: I'm OK can be tapped", () => {
  const closing = row("close", "J-1");
  const day = { ...serverDay, jobs: [{ id: "J-1", state: "closed", closure: { code: "SP" } }] };
  assert.deepEqual(runningTimer(day, [closing]), serverDay.check_in);
  assert.equal(isStillRunningAtOffice(day, [closing]), false);
  assert.equal(isStillRunningAtOffice(day, [closing, row("check_in_done", "J-1")]), true);
});

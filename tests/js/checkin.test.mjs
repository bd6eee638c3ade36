// The timer of who works alone, as the phone sees it without the server.

import assert from "node:assert/strict";
import test from "node:test";

import { isUnheard, runningTimer } from "../../static/js/phone/app/timer.js";

const row = (kind, job, body = {}, state = "here") => ({
  state,
  entry: { kind, job, body, occurred_at: "2026-11-23T09:00:00.000Z" },
});
const told = { check_in: { job: "J-1", due_at: "2026-11-23T08:00:00.000Z" } };

test("what the server told stands until this phone does something", () => {
  assert.equal(runningTimer({}, []), null);
  assert.deepEqual(runningTimer(told, [row("answered", "J-1")]), told.check_in);
});

test("a timer set here runs at once, from its tap", () => {
  const timer = { job: "J-2", due_at: "2026-11-23T09:30:00.000Z" };
  assert.deepEqual(runningTimer({}, [row("check_in", "J-2", { minutes: 30 })]), { ...timer, isHere: true });
  assert.deepEqual(runningTimer({}, [row("check_in", "J-2", { minutes: 30 }, "safe")]), timer);
});

test("a word that one is well is unheard while it lies here and the office's timer runs", () => {
  assert.equal(isUnheard(told, [row("check_in_done", "J-1")]), true);
  assert.equal(isUnheard(told, [row("check_in_done", "J-1", {}, "safe")]), false);
  assert.equal(isUnheard({}, [row("check_in_done", "J-1")]), false);
});

test("a word that one is well, and closing its job, end it; another job's closing does not", () => {
  assert.equal(runningTimer(told, [row("check_in_done", "J-1")]), null);
  assert.equal(runningTimer(told, [row("close", "J-1")]), null);
  assert.deepEqual(runningTimer(told, [row("close", "J-9")]), told.check_in);
});

test("what the server refused does not count", () => {
  assert.deepEqual(runningTimer(told, [row("check_in_done", "J-1", {}, "refused")]), told.check_in);
});

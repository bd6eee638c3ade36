// When the phone asks for news of a job: fast while the seller owes an answer, then slower, else not at all.

import assert from "node:assert/strict";
import { test } from "node:test";

import { setClockAhead } from "../../static/js/phone/app/clock_skew.js";
import { isAwaitingResult, pollInterval } from "../../static/js/phone/app/job_polling.js";

const NOW = Date.parse("2026-11-23T10:00:00Z");
const MINUTE = 60_000;
const job = (more) => ({ state: "on_site", scan: { fsan: "CXNK00ABCDEF", scanned_at: "2026-11-23T09:59:00Z" }, result: null, advice: null, ...more });

test("an answer to a scan that was sent is awaited", () => {
  assert.equal(isAwaitingResult(job()), true);
  assert.equal(isAwaitingResult(job({ scan: null })), false);
  assert.equal(isAwaitingResult(job({ scan: { fsan: "CXNK00ABCDEF", is_pending: true } })), false);
  assert.equal(isAwaitingResult(job({ state: "closed" })), false);
  assert.equal(isAwaitingResult(undefined), false);
});

test("a result ends the waiting, unless it announces another attempt", () => {
  assert.equal(isAwaitingResult(job({ result: { result_id: 1, success: true } })), false);
  assert.equal(isAwaitingResult(job({ result: { result_id: 3, success: false }, advice: { is_waiting: false } })), false);
  assert.equal(isAwaitingResult(job({ result: { result_id: 4, success: false }, advice: { is_waiting: true } })), true);
});

test("two seconds for three minutes, then fifteen, and nothing where nothing is awaited", () => {
  assert.equal(pollInterval(job(), NOW, NOW), 2_000);
  assert.equal(pollInterval(job(), NOW - 3 * MINUTE + 1, NOW), 2_000);
  assert.equal(pollInterval(job(), NOW - 3 * MINUTE, NOW), 15_000);
  assert.equal(pollInterval(job({ scan: null }), NOW, NOW), Infinity);
});

test("an announced attempt is awaited fast from its own time on", () => {
  const announced = (until) => job({ result: { result_id: 4, success: false }, advice: { is_waiting: true, until: new Date(until).toISOString() } });

  assert.equal(pollInterval(announced(NOW + MINUTE), NOW - MINUTE, NOW), 15_000);
  assert.equal(pollInterval(announced(NOW - MINUTE), NOW - 9 * MINUTE, NOW), 2_000);

  // this clock is behind by an hour: the attempt is under way by the server's
  setClockAhead(-60 * MINUTE);
  assert.equal(pollInterval(announced(NOW + 59 * MINUTE), NOW - 9 * MINUTE, NOW), 2_000);
  assert.equal(pollInterval(announced(NOW - MINUTE), NOW - 9 * MINUTE, NOW), 15_000);
  setClockAhead();
});

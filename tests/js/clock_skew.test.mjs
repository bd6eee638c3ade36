// A phone whose clock is wrong goes by the server's: when a check-in is due, and when the seller is late.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { server as web } from "./browser.mjs";
import { fetchDay } from "../../static/js/phone/app/api_client.js";
import { serverTime, setClockAhead } from "../../static/js/phone/app/clock_skew.js";
import * as store from "../../static/js/phone/app/database.js";
import { runningTimer, timerStatus } from "../../static/js/phone/app/lone_worker.js";
import { currentAdvice } from "../../static/js/phone/app/provisioning_advice.js";

const MINUTE = 60_000;
const HOURS = 60 * MINUTE;
globalThis.document = { documentElement: { lang: "en-GB" } };
// by the server's clock
const inMinutes = (minutes, ahead) => new Date(Date.now() - ahead + minutes * MINUTE).toISOString();

beforeEach(() => store.openDatabaseOf("ERIN"));
afterEach(() => setClockAhead());

async function aheadByAnswer(headers) {
  web.answers = () => new Response(JSON.stringify({ engineer: "ERIN", jobs: [] }), { headers });
  return (await fetchDay()).clock_ahead;
}

test("each day says how far ahead this phone's clock is", async () => {
  const ahead = await aheadByAnswer({ Date: new Date(Date.now() - 3 * HOURS).toUTCString() });
  assert.ok(Math.abs(ahead - 3 * HOURS) < MINUTE);
  assert.ok((await aheadByAnswer({ Date: new Date(Date.now() + 3 * HOURS).toUTCString() })) < -2 * HOURS);
});

test("seconds on the way are no wrong clock, nor is an answer without a time", async () => {
  assert.equal(await aheadByAnswer({ Date: new Date(Date.now() - 0.5 * MINUTE).toUTCString() }), 0);
  assert.equal(await aheadByAnswer({}), 0);
});

for (const ahead of [3 * HOURS, -3 * HOURS]) {
  test(`a check-in is due by the server's clock, ${ahead / HOURS} hours from this phone's`, () => {
    setClockAhead(ahead);
    assert.equal(timerStatus({ job: "J-1", due_at: inMinutes(20, ahead) }).tone, "calm");
    assert.equal(timerStatus({ job: "J-1", due_at: inMinutes(-1, ahead) }).tone, "alarm");
  });

  test(`a timer set here is due by the server's clock, ${ahead / HOURS} hours from this phone's`, () => {
    setClockAhead(ahead);
    const entry = { kind: "check_in", job: "J-1", body: { minutes: 30 }, occurred_at: new Date().toISOString() };
    const { due_at: dueAt } = runningTimer({}, [{ state: "synced", entry }]);
    assert.ok(Math.abs(Date.parse(dueAt) - serverTime() - 30 * MINUTE) < MINUTE);
  });

  test(`the seller is late by the server's clock, ${ahead / HOURS} hours from this phone's`, () => {
    setClockAhead(ahead);
    const overdue = { title: "The seller has not retried" };
    const promised = (minutes) => ({ title: "The seller will retry", overdue_at: inMinutes(minutes, ahead), overdue });
    assert.equal(currentAdvice(promised(5)).title, "The seller will retry");
    assert.equal(currentAdvice(promised(-1)).title, "The seller has not retried");
  });
}

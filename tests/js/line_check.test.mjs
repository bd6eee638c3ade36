// A check of the line as the phone requests it: what is stored, the reason where there is no result, and that the next
// check works.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { json, server as web } from "./browser.mjs";
import * as store from "../../static/js/phone/app/database.js";
import { checkFailure, checkLine, isChecking } from "../../static/js/phone/app/line_check.js";

const DOWN = { checked_at: "2026-11-23T10:00:00+00:00", is_down: true, code: "CFH001" };
const UP = { checked_at: "2026-11-23T10:05:00+00:00", is_down: false, code: "AOK001" };
const job = { id: "J/1" };
let checkingStates = [];
const recordState = () => checkingStates.push(isChecking(job));
const storedCheck = async () => (await store.getValue("day")).jobs[0].line_check;
const setAnswers = (...responses) => {
  web.asked.length = 0;
  web.answers = () => {
    const next = responses.shift();
    if (next instanceof Error) throw next;
    return next;
  };
};

beforeEach(async () => {
  checkingStates = [];
  await store.openDatabaseOf("ERIN");
  await store.setValue("day", { jobs: [{ id: "J/1", line_check: null }] });
});

test("the result is stored with the day, and the page is rendered at the beginning and at the end", async () => {
  setAnswers(json({ line_check: DOWN }));
  await checkLine(job, recordState);
  assert.deepEqual(await storedCheck(), DOWN);
  assert.deepEqual([checkingStates, checkFailure(job)], [[true, false], ""]);
  assert.deepEqual([web.asked[0].method, web.asked[0].path], ["POST", "/phone/jobs/J%2F1/line-check"]);
});

test("a second tap sends no second request", async () => {
  setAnswers(json({ line_check: DOWN }), json({ line_check: UP }));
  await Promise.all([checkLine(job, recordState), checkLine(job, recordState)]);
  assert.equal(web.asked.length, 1);
});

test("the server gives the reason for no result, and an older result stays", async () => {
  setAnswers(json({ line_check: DOWN }), json({ error: "no_service", where: "line", message: "No service identifier. Carry on." }, 422));
  await checkLine(job, recordState);
  await checkLine(job, recordState);
  assert.equal(checkFailure(job), "No service identifier. Carry on.");
  assert.deepEqual(await storedCheck(), DOWN);
});

for (const [name, response, reason] of [
  ["no signal", new TypeError("Failed to fetch"), /^No signal/],
  ["too many", new Response("{}", { status: 429 }), /too often/],
  ["a server that is down", new Response("<p>502</p>", { status: 502 }), /did not answer/],
  ["half an answer", new Response('{"line_', { status: 200 }), /did not answer/],
  ["a page that is no refusal of ours", new Response("<p>Not found</p>", { status: 404 }), /did not answer/],
  ["an engineer who is signed out", new Response("{}", { status: 401 }), /^Sign in again/],
]) {
  test(`${name} is explained, and the next check works`, async () => {
    setAnswers(response, json({ line_check: UP }));
    await checkLine(job, recordState);
    assert.match(checkFailure(job), reason);
    assert.equal(await storedCheck(), null);
    await checkLine(job, recordState);
    assert.deepEqual([checkFailure(job), await storedCheck()], ["", UP]);
  });
}

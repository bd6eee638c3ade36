// A check of the line as the phone asks for it: what is kept, what is said where there is no result, and that the next
// one works.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { json, server as web } from "./browser.mjs";
import * as store from "../../static/js/phone/app/database.js";
import { checkFailure, checkLine, isChecking } from "../../static/js/phone/app/line_check.js";

const RED = { checked_at: "2026-11-23T10:00:00+00:00", is_down: true, code: "CFH001" };
const GREEN = { checked_at: "2026-11-23T10:05:00+00:00", is_down: false, code: "AOK001" };
const job = { id: "J/1" };
let seen = [];
const note = () => seen.push(isChecking(job));
const kept = async () => (await store.getValue("day")).jobs[0].line_check;
const answers = (...responses) => {
  web.asked.length = 0;
  web.answers = () => {
    const next = responses.shift();
    if (next instanceof Error) throw next;
    return next;
  };
};

beforeEach(async () => {
  seen = [];
  await store.openDatabaseOf("ERIN");
  await store.setValue("day", { jobs: [{ id: "J/1", line_check: null }] });
});

test("the result is kept with the day, and the page is drawn at the beginning and at the end", async () => {
  answers(json({ line_check: RED }));
  await checkLine(job, note);
  assert.deepEqual(await kept(), RED);
  assert.deepEqual([seen, checkFailure(job)], [[true, false], ""]);
  assert.deepEqual([web.asked[0].method, web.asked[0].path], ["POST", "/phone/jobs/J%2F1/line-check"]);
});

test("a second tap does not ask twice", async () => {
  answers(json({ line_check: RED }), json({ line_check: GREEN }));
  await Promise.all([checkLine(job, note), checkLine(job, note)]);
  assert.equal(web.asked.length, 1);
});

test("the server says why there is no result, and an older result stays", async () => {
  answers(json({ line_check: RED }), json({ error: "no_service", where: "line", message: "No service identifier. Carry on." }, 422));
  await checkLine(job, note);
  await checkLine(job, note);
  assert.equal(checkFailure(job), "No service identifier. Carry on.");
  assert.deepEqual(await kept(), RED);
});

for (const [name, response, sentence] of [
  ["no signal", new TypeError("Failed to fetch"), /^No signal/],
  ["too many", new Response("{}", { status: 429 }), /too often/],
  ["a server that is down", new Response("<p>502</p>", { status: 502 }), /did not answer/],
  ["half an answer", new Response('{"line_', { status: 200 }), /did not answer/],
  ["a page that is no refusal of ours", new Response("<p>Not found</p>", { status: 404 }), /did not answer/],
  ["somebody who is signed out", new Response("{}", { status: 401 }), /^Sign in again/],
]) {
  test(`${name} is said, and the next check works`, async () => {
    answers(response, json({ line_check: GREEN }));
    await checkLine(job, note);
    assert.match(checkFailure(job), sentence);
    assert.equal(await kept(), null);
    await checkLine(job, note);
    assert.deepEqual([checkFailure(job), await kept()], ["", GREEN]);
  });
}

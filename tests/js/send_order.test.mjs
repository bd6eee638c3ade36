// What the phone may send next: the order of the taps, held per job.

import assert from "node:assert/strict";
import { test } from "node:test";

import { nextToSend } from "../../static/js/phone/app/send_order.js";

const NOW = 1_700_000_000_000;
let at = 0;

function row(kind, job, more = {}) {
  at += 1;
  return { at, state: "pending", photo: null, hold_until: 0, entry: { message_id: `m${at}`, kind, job }, ...more };
}

// a job that is not here any more, where none is named
const kinds = (rows, jobs = []) => nextToSend(rows, jobs, NOW).map(({ entry }) => `${entry.kind} ${entry.job}`);

test("everything is sent in the order of the taps, whatever job it is of", () => {
  assert.deepEqual(kinds([row("en_route", "A"), row("answered", "B"), row("on_site", "A")]), ["en_route A", "answered B", "on_site A"]);
});

test("what the server has or refused is not sent again", () => {
  assert.deepEqual(kinds([row("en_route", "A", { state: "synced" }), row("on_site", "A", { state: "refused" }), row("answered", "A")]), ["answered A"]);
});

test("an entry whose position is coming holds its own job and no other", () => {
  const held = row("en_route", "A", { hold_until: NOW + 20_000 });
  assert.deepEqual(kinds([held, row("on_site", "A"), row("answered", "B")]), ["answered B"]);
});

test("a hold ends automatically", () => {
  assert.deepEqual(kinds([row("en_route", "A", { hold_until: NOW - 1 }), row("on_site", "A")]), ["en_route A", "on_site A"]);
});

test("a clock that was set back three hours holds nothing for three hours", () => {
  assert.deepEqual(kinds([row("en_route", "A", { hold_until: NOW + 3 * 3600_000 })]), ["en_route A"]);
});

test("a picture is announced with the others; its closing waits until the bytes are there", () => {
  const photo = row("photo_taken", "A", { photo: "p" });
  assert.deepEqual(kinds([photo, row("answered", "A"), row("close", "A"), row("en_route", "B")]), ["photo_taken A", "answered A", "en_route B"]);
});

test("a closing waits for pictures that were announced before, and only for its own job's", () => {
  const announced = row("photo_taken", "A", { photo: "p", announced: true });
  assert.deepEqual(kinds([announced, row("close", "A"), row("close", "B")]), ["close B"]);
});

test("a closing waits for no picture that no answer names any more", () => {
  const job = { id: "A", answers: { PHO01: ["q"], SAF01: "p" } };
  const [announced, here] = [row("photo_taken", "A", { photo: "p", announced: true }), row("photo_taken", "A", { photo: "p" })];
  assert.deepEqual(kinds([announced, row("close", "A")], [job]), ["close A"]);
  assert.deepEqual(kinds([here, row("close", "A")], [job]), ["photo_taken A", "close A"]);
  const named = row("photo_taken", "A", { photo: "q", announced: true });
  assert.deepEqual(kinds([announced, named, row("close", "A")], [job]), []);
});

test("nothing overtakes a closing that waits", () => {
  const announced = row("photo_taken", "A", { photo: "p", announced: true });
  assert.deepEqual(kinds([announced, row("close", "A"), row("answered", "A")]), []);
});

test("a sign of life waits for no closing and no position, and goes first", () => {
  const announced = row("photo_taken", "A", { photo: "p", announced: true });
  const held = row("en_route", "B", { hold_until: NOW + 20_000 });
  const waiting = [row("answered", "C"), row("check_in", "A"), announced, row("close", "A"), held, row("check_in_done", "B")];
  assert.deepEqual(kinds(waiting), ["check_in A", "check_in_done B"]);
  assert.deepEqual(kinds(waiting.filter(({ entry }) => !entry.kind.startsWith("check_in"))), ["answered C"]);
});

test("a picture that the server refused does not keep its job from closing", () => {
  const refused = row("photo_taken", "A", { photo: "p", announced: true, state: "refused" });
  assert.deepEqual(kinds([refused, row("close", "A")]), ["close A"]);
});

test("never more than fifty at once, the oldest first", () => {
  const many = Array.from({ length: 80 }, () => row("answered", "A"));
  assert.deepEqual(nextToSend(many, [], NOW).map((row) => row.at), many.slice(0, 50).map((row) => row.at));
});

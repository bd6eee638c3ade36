// What the queue page says of its entries: their words, where they stand, what a closing waits for, how far sending is.
// Run with: node --test tests/js/entry_descriptions.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";

import { listWaitingClosures, describeEntry, photoProgress, entryStatus } from "../../static/js/phone/app/entry_descriptions.js";

const question = { code: "SAF01", text: "Is it safe?", kind: "yes_no", stage: "safety" };
const day = {
  jobs: [
    {
      id: "J-1",
      matrix: "m",
      page: { kind: "Installation", address: "2 Ling Bob" },
      closures: [
        { code: "SP", succeeds: true, description: "Service works" },
        { code: "RNA", succeeds: false, description: "No access" },
      ],
    },
  ],
  matrices: { m: { questions: [question, { ...question, code: "LEN01", text: "Length of the cable", kind: "text" }] } },
};

const row = (kind, body = {}, more = {}) => ({
  at: 1,
  entry: { kind, job: "J-1", body, message_id: "x", occurred_at: "2026-11-21T09:00:00Z" },
  state: "pending",
  photo: null,
  hold_until: 0,
  problems: [],
  ...more,
});

for (const [kind, body, title, url] of [
  ["en_route", {}, "On my way", "/phone/jobs/J-1/travel/"],
  ["on_site", {}, "I'm on site", "/phone/jobs/J-1/arrive/"],
  ["answered", { question: "SAF01", value: "yes" }, "Is it safe? Yes", "/phone/jobs/J-1/question/SAF01/"],
  ["answered", { question: "LEN01", value: "12" }, "Length of the cable: 12", "/phone/jobs/J-1/question/LEN01/"],
  ["answered", { question: "OLD99", value: "yes" }, "Answer to question OLD99", "/phone/jobs/J-1/"],
  ["photo_taken", { question: "SAF01" }, "Photo: Is it safe?", "/phone/jobs/J-1/question/SAF01/"],
  ["ont_scanned", { fsan: "CXNK00000001" }, "ONT scanned: CXNK00000001", "/phone/jobs/J-1/scan/"],
  ["close", { code: "SP" }, "Closed: Service works", "/phone/jobs/J-1/review/"],
  ["close", { code: "RNA" }, "Closed: No access", "/phone/jobs/J-1/cant-complete/"],
  ["something_new", {}, "A message", "/phone/jobs/J-1/"],
]) {
  test(`${kind} ${JSON.stringify(body)} is "${title}"`, () => {
    const description = describeEntry(row(kind, body), day);
    assert.deepEqual([description.title, description.url, description.premises], [title, url, "Installation, 2 Ling Bob"]);
  });
}

for (const [rule, text] of [
  ["", "Job J-9, not on this phone"],
  ["reassigned", "5 High St, LS1 2AB, reassigned"],
  ["unassigned", "5 High St, LS1 2AB, unassigned"],
  ["new_time", "5 High St, LS1 2AB, rescheduled"],
]) {
  test(`a job that left the list by the rule "${rule}" has a description and no link`, () => {
    const gone = row("answered", { question: "SAF01", value: "yes" });
    gone.entry.job = "J-9";
    const absent = { ...day, gone: rule ? [{ id: "J-9", address: "5 High St, LS1 2AB", rule }] : [] };
    assert.deepEqual(describeEntry(gone, absent), { title: "Is it safe? Yes", premises: text, url: "" });
  });
}

test("what was sent unfinished is no request and no answer", () => {
  const unfinished = row("handover_requested", { reason: "No ladder", unfinished: true });
  assert.equal(describeEntry(unfinished, day).title, "Unfinished: Handover requested: No ladder");
});

test("an entry of a job that left the phone has the texts of the jobs that are here, else its codes", () => {
  const titleOf = (kind, body, when = day) => describeEntry({ entry: { ...row(kind, body).entry, job: "J-9" } }, when).title;
  assert.equal(titleOf("close", { code: "RNA" }), "Closed: No access");
  assert.equal(titleOf("photo_taken", { question: "SAF01" }), "Photo: Is it safe?");
  const empty = { jobs: [], matrices: {} };
  assert.equal(titleOf("close", { code: "RNA" }, empty), "Closed: RNA");
  assert.equal(titleOf("answered", { question: "SAF01", value: "yes" }, empty), "Answer to question SAF01");
  assert.equal(titleOf("answer_withdrawn", { question: "SAF01" }, empty), "Answer cleared: SAF01");
  assert.equal(titleOf("photo_taken", { question: "SAF01" }, empty), "Photo: SAF01");
});

test("the status of an entry", () => {
  const statusText = (more) => entryStatus(row("answered", {}, more), 1000).words;
  assert.equal(statusText({}), "Waiting to send");
  assert.equal(statusText({ hold_until: 2000 }), "Waiting for your location");
  assert.equal(statusText({ announced: true }), "Photo waiting to send");
  assert.equal(statusText({ state: "synced" }), "Sent");
  assert.match(statusText({ state: "synced", outcome: "late" }), /already changed/);
  assert.equal(statusText({ state: "refused" }), "Refused");
});

test("a closing waits for the pictures before it, of its own job", () => {
  const closing = row("close", { code: "SP" }, { at: 9 });
  const other = row("photo_taken", {}, { at: 2, photo: "b" });
  other.entry = { ...other.entry, job: "J-2" };
  const later = row("photo_taken", {}, { at: 10, photo: "c" });
  assert.deepEqual(listWaitingClosures([other, closing, later], []), []);
  const mine = row("photo_taken", {}, { at: 1, photo: "a" });
  assert.deepEqual(listWaitingClosures([mine, other, closing, later], []), [{ row: closing, photos: 1 }]);
  assert.deepEqual(listWaitingClosures([{ ...mine, state: "synced" }, closing], []), []);
  const job = (value) => ({ ...day.jobs[0], answers: { PHO01: value } });
  assert.deepEqual(listWaitingClosures([mine, closing], [job(["a"])]), [{ row: closing, photos: 1 }]);
  assert.deepEqual(listWaitingClosures([mine, closing], [job(["b"])]), []);
});

test("progress counts bytes, not pictures", () => {
  const small = row("photo_taken", {}, { photo: "a", bytes: 100, state: "synced" });
  const large = row("photo_taken", {}, { photo: "b", bytes: 300 });
  assert.deepEqual(photoProgress([small, large], { id: "b", part: 0.5 }), { done: 1, all: 2, part: 0.625 });
  assert.deepEqual(photoProgress([row("answered")]), { done: 0, all: 0, part: 0 });
});

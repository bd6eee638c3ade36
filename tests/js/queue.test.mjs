// What the server's word does to the rows of the queue, on a database in memory.

import "./memory_database.mjs";

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import * as queue from "../../static/js/phone/app/queue.js";
import { setValue, openDatabaseOf } from "../../static/js/phone/app/database.js";

const JOB = { id: "J1", answers: {}, matrix: "m" };
const PROBLEM = [{ code: "photo_of_another_answer", where: "question:PHO01", message: "Take another.", blocks: true }];
const photo = (id, question = "PHO01") => ({ kind: "photo_taken", job: JOB.id, body: { photo_id: id, question }, picture: { id } });
const answer = (value, question = "PHO01") => ({ kind: "answered", job: JOB.id, body: { question, value } });
const result = ({ entry }, outcome) => ({ message_id: entry.message_id, outcome, problems: outcome === "refused" ? PROBLEM : [] });
const short = ({ entry, state }) => [entry.body.photo_id ?? entry.body.value ?? entry.kind, state];

let engineers = 0;
beforeEach(async () => {
  engineers += 1;
  await openDatabaseOf(String(engineers));
  await setValue("day", { jobs: [JOB], matrices: {} });
});

test("a refused announcement leaves one problem, and the corrected answer waits to be sent", async () => {
  const rows = await queue.addAll([photo("A"), answer(["A"]), photo("B"), answer(["A", "B"])]);
  await queue.applyResults(rows.map((row) => result(row, row.photo === "B" ? "done" : "refused")));

  const after = await queue.rows();
  assert.deepEqual(after.map(short), [["A", "refused"], ["answer_withdrawn", "pending"], ["B", "pending"], [["B"], "pending"]]);
  const [, , , corrected] = after;
  assert.notEqual(corrected.entry.message_id, rows[3].entry.message_id);
  assert.deepEqual([corrected.problems, corrected.outcome], [[], ""]);
});

test("a corrected answer stays, too, when the server accepted the one before", async () => {
  const rows = await queue.addAll([photo("A"), photo("B"), answer(["A", "B"])]);
  await queue.applyResults(rows.map((row) => result(row, row.photo === "A" ? "refused" : "done")));

  assert.deepEqual((await queue.rows()).map(short), [["A", "refused"], ["B", "pending"], [["B"], "pending"]]);
});

test("two photos that are refused at once withdraw their answer", async () => {
  const rows = await queue.addAll([photo("A"), photo("B"), answer(["A", "B"])]);
  await queue.applyResults(rows.map((row) => result(row, "refused")));

  assert.deepEqual((await queue.rows()).map(short), [["A", "refused"], ["B", "refused"], ["answer_withdrawn", "pending"]]);
});

test("a new answer takes the place of the refused ones of its question; a refused photo stays to be seen", async () => {
  const rows = await queue.addAll([photo("A"), answer(["X"]), { kind: "answer_withdrawn", job: JOB.id, body: { question: "PHO01" } }, answer("y", "SAF01")]);
  await queue.applyResults(rows.map((row) => result(row, "refused")));
  await queue.addAll([photo("B"), answer(["B"])]);

  assert.deepEqual((await queue.rows()).map(short), [["A", "refused"], ["y", "refused"], ["B", "pending"], [["B"], "pending"]]);
});

test("a refused closing keeps which pictures were answers at its tap", async () => {
  const rows = await queue.addAll([photo("A"), photo("B", "PHO02"), answer(["A"]), answer(["B"], "PHO02"), answer("yes", "SAF01"), { kind: "close", job: JOB.id, body: { code: "SP" } }]);
  await queue.addAll([photo("C"), answer(["C"])]);
  await queue.applyResults(rows.map((row) => result(row, row.entry.kind === "close" ? "refused" : "done")));

  assert.deepEqual((await queue.rows()).map(({ pictures }) => pictures).filter(Boolean), [["A", "B"]]);
});

test("taps that depend on the job as it is are made of what was kept a moment before", async () => {
  await queue.addAll([photo("A"), photo("B"), answer(["A", "B"])]);
  const [{ at }] = await queue.rows();
  const added = (now) => [{ ...photo("C"), job: undefined }, answer([...now.answers.PHO01, "C"])];

  await Promise.all([queue.deletePhoto(at), queue.addFor(JOB, added)]);

  assert.deepEqual((await queue.rows()).at(-1).entry.body.value, ["B", "C"]);
  assert.deepEqual(new Set((await queue.rows()).map(({ entry }) => entry.job)), new Set([JOB.id]));
  await queue.addFor({ ...JOB, id: "GONE" }, ({ id }) => [answer([id])]);
  assert.deepEqual((await queue.rows()).at(-1).entry.body.value, ["GONE"]);
});

test("a deleted photo withdraws the answer that the server may have from a try whose result was lost", async () => {
  const rows = await queue.addAll([photo("A"), answer(["A"]), answer("yes", "SAF01")]);

  await queue.deletePhoto(rows[0].at);

  const [withdrawal, ...others] = await queue.rows();
  assert.deepEqual([withdrawal.entry.kind, withdrawal.entry.body, withdrawal.at], ["answer_withdrawn", { question: "PHO01" }, rows[1].at]);
  assert.notEqual(withdrawal.entry.message_id, rows[1].entry.message_id);
  assert.deepEqual(others.map(short), [["yes", "pending"]]);
});

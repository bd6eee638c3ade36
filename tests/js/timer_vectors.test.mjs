// Which lone-worker timer runs, by the vectors that run against engineers/lone_worker.py too.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import "./browser.mjs";
import { runningTimer } from "../../static/js/phone/app/lone_worker.js";

const { vectors } = JSON.parse(readFileSync(new URL("../data/timer_vectors.json", import.meta.url), "utf8"));
const now = Date.now();
const moment = (minutes) => new Date(now + minutes * 60_000).toISOString();
const timerOf = ({ job, at, minutes }) => ({ job, started_at: moment(at), due_at: moment(at + minutes) });

function row({ kind, job, at, minutes }) {
  return { state: "synced", outcome: "applied", entry: { kind, job, body: { minutes }, occurred_at: moment(at) } };
}

for (const { name, other, taps, runs } of vectors) {
  test(`as on the server: ${name}`, () => {
    const timer = runningTimer({ check_in: other && timerOf(other) }, taps.map(row));
    assert.deepEqual(timer && { job: timer.job, due_at: timer.due_at }, runs && { job: runs.job, due_at: moment(runs.due) });
  });
}

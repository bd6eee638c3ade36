// Which jobs are today's, by the vectors that run against phone/assigned_jobs.py too.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { planDay } from "../../static/js/phone/app/day_plan.js";

const { vectors } = JSON.parse(readFileSync(new URL("../data/today_vectors.json", import.meta.url), "utf8"));
const at = (days, hour) => new Date(2026, 10, 22 + days, hour);
const dayOf = (days) => `2026-11-${22 + days}`;

for (const { name, planned, fetched, was_today, state, is_today } of vectors) {
  test(`as on the server: ${name}`, () => {
    const job = { id: "A", state, is_today: was_today, planned: { start: at(planned, 10).toISOString(), end: at(planned, 12).toISOString() } };
    const day = { day: dayOf(fetched), clock_ahead: 0, fetched_at: +at(fetched, 7), jobs: [job] };
    assert.equal(!planDay(day, at(0, 9)).tomorrow.length, is_today);
  });
}

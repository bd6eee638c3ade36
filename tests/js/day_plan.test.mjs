// Today's jobs, also when the last word of the server is of yesterday.

import assert from "node:assert/strict";
import { test } from "node:test";

import { isNextJob, isOutdated, planDay } from "../../static/js/phone/app/day_plan.js";

const at = (date, hour) => new Date(2026, 10, date, hour);
const job = (id, date, more = {}) => ({
  id,
  state: "assigned",
  is_today: date <= 22,
  planned: { start: at(date, 10).toISOString(), end: at(date, 12).toISOString() },
  ...more,
});
const serverDay = (jobs, more = {}) => ({ day: "2026-11-22", clock_ahead: 0, fetched_at: +at(22, 20), jobs, ...more });
const ids = (plan) => Object.fromEntries(Object.entries(plan).map(([name, jobs]) => [name, jobs.map(({ id }) => id)]));
const SUNDAY = at(22, 9);
const MONDAY = at(23, 7);
const jobs = [
  job("yesterdays", 22),
  job("done", 22, { state: "closed" }),
  job("mondays", 23),
  job("next", 23),
];

test("on its own day the server's list is used", () => {
  assert.deepEqual(ids(planDay(serverDay(jobs), SUNDAY)), { open: ["yesterdays"], over: ["done"], earlier: [], tomorrow: ["mondays", "next"] });
});

test("without signal the next morning, the planned day decides what is today's", () => {
  const plan = ids(planDay(serverDay(jobs), MONDAY));
  assert.deepEqual(plan, { open: ["yesterdays", "mondays", "next"], over: [], earlier: ["done"], tomorrow: [] });
});

test("what was closed today is finished today, whatever day it was planned for", () => {
  const closed = job("late", 22, { state: "closed", closure: { closed_at: MONDAY.toISOString() } });
  assert.deepEqual(ids(planDay(serverDay([closed]), MONDAY)).over, ["late"]);
});

test("what was planned for tomorrow and closed today is finished today", () => {
  const closed = job("early", 23, { state: "closed", closure: { closed_at: SUNDAY.toISOString() } });
  assert.deepEqual(ids(planDay(serverDay([closed]), SUNDAY)).over, ["early"]);
});

test("what is under way comes first", () => {
  const begun = job("begun", 23, { state: "on_site" });
  assert.deepEqual(ids(planDay(serverDay([...jobs, begun]), MONDAY)).open, ["begun", "yesterdays", "mondays", "next"]);
  assert.deepEqual(ids(planDay(serverDay([...jobs, begun]), SUNDAY)).open, ["begun", "yesterdays"]);
});

const DAY_MS = 86_400_000;

for (const ahead of [100_000, -100_000, 2 * DAY_MS, -2 * DAY_MS]) {
  const phoneTime = (moment) => new Date(+moment + ahead);
  const fetched = (list) => serverDay(list, { clock_ahead: ahead, fetched_at: +phoneTime(at(22, 20)) });

  test(`a clock that is wrong by ${ahead} ms finds the end of the day`, () => {
    const [evening, midnight] = [new Date(2026, 10, 22, 23, 59), at(23, 0)];
    assert.deepEqual([evening, midnight].map((moment) => isOutdated(fetched([]), phoneTime(moment))), [false, true]);
    const plan = ids(planDay(fetched(jobs), phoneTime(MONDAY)));
    assert.deepEqual(plan, { open: ["yesterdays", "mondays", "next"], over: [], earlier: ["done"], tomorrow: [] });
  });

  test(`what was closed by a clock that is wrong by ${ahead} ms was closed on its day`, () => {
    const closed = (id, moment) => job(id, 22, { state: "closed", closure: { closed_at: phoneTime(moment).toISOString() } });
    const day = fetched([closed("on sunday", at(22, 12)), closed("on monday", MONDAY)]);
    const { over, earlier } = ids(planDay(day, phoneTime(at(23, 8))));
    assert.deepEqual({ over, earlier }, { over: ["on monday"], earlier: ["on sunday"] });
  });
}

test("a clock that is behind the list, or was put right since, decides nothing", () => {
  assert.equal(isOutdated(serverDay([]), MONDAY), true);
  assert.equal(isOutdated(serverDay([], { clock_ahead: DAY_MS }), MONDAY), false);
  assert.equal(isOutdated(serverDay([]), at(21, 23)), false);
  assert.equal(isOutdated(serverDay([], { fetched_at: +at(23, 6) }), MONDAY), false);
  assert.deepEqual(ids(planDay(serverDay(jobs, { clock_ahead: DAY_MS }), MONDAY)).tomorrow, ["mondays", "next"]);
});

// an empty battery: it was behind when the list came, and was put right without signal
for (const behind of [2 * DAY_MS, +at(22, 20) - Date.UTC(1970, 0, 1)]) {
  test(`a clock that was behind by ${behind} ms and was put right since is believed`, () => {
    const day = serverDay(jobs, { clock_ahead: -behind, fetched_at: +at(22, 20) - behind });
    assert.equal(isOutdated(day, at(22, 23)), false);
    assert.deepEqual(ids(planDay(day, at(22, 23))).tomorrow, ["mondays", "next"]);
    assert.deepEqual(ids(planDay(day, MONDAY)).open, ["yesterdays", "mondays", "next"]);
  });
}

test("next is the first open job of today, whichever page asks", () => {
  const day = serverDay([...jobs, job("there", 22, { state: "on_site" })]);
  assert.deepEqual(day.jobs.filter((each) => isNextJob(day, each, SUNDAY)).map(({ id }) => id), ["there"]);
});

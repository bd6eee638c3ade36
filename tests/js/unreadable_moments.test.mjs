// A moment that is none, in what an earlier version or another program stored on the phone: its page says "unknown" and
// goes on.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./browser.mjs";
import { textOf } from "./elements.mjs";
import { isOutdated, planDay } from "../../static/js/phone/app/day_plan.js";
import { formatDay, formatTime } from "../../static/js/phone/app/moment_texts.js";
import { ageText } from "../../static/js/phone/app/line_state.js";
import { isOverdue, runningTimer, timerStatus } from "../../static/js/phone/app/lone_worker.js";
import { timestamp } from "../../static/js/phone/app/screens/components.js";
import { nextDate } from "../../static/js/phone/app/time_zone.js";

// the page counts down as long as it is there, and a test would never end
globalThis.setInterval = () => {};
const { provisioningScreen } = await import("../../static/js/phone/app/screens/provisioning_screen.js");

const BAD = "yesterday at nine";
const NOW = new Date("2026-12-01T09:00:00Z");

test("times and dates", () => {
  assert.equal(textOf(timestamp(BAD)), "unknown time");
  assert.deepEqual([formatDay(new Date(BAD)), formatTime(new Date(BAD))], ["unknown time", "unknown time"]);
  assert.equal(formatDay(nextDate(new Date(BAD))), "unknown time");
});

test("the age of a line check", () => {
  assert.equal(ageText(BAD), "unknown time");
});

test("a job without readable times stays in the day", () => {
  const job = { id: "J-1", state: "assigned", is_today: false, planned: { start: BAD, end: BAD } };
  const closed = { ...job, id: "J-2", state: "closed", closure: { closed_at: BAD } };
  const day = { day: "2026-11-30", fetched_at: BAD, jobs: [job, closed] };

  const { open, over, earlier } = planDay(day, NOW);

  assert.equal(isOutdated(day, NOW), true);
  assert.deepEqual([open, [...over, ...earlier]], [[job], [closed]]);
});

test("a timer runs on", () => {
  const entry = { kind: "check_in", job: "J-1", body: { minutes: 30 }, occurred_at: BAD };

  for (const timer of [runningTimer({}, [{ state: "synced", entry }]), runningTimer({ check_in: { job: "J-1", started_at: BAD, due_at: BAD } }, [])]) {
    assert.equal(isOverdue(timer), false);
    assert.match(timerStatus(timer).words, /unknown time/);
  }
});

test("the countdown of provisioning", async () => {
  const advice = { title: "Wait", text: "", tone: "calm", until: BAD, overdue_at: BAD };
  const pack = { id: "J1", state: "on_site", type: "installation", matrix: "m", has_ont_scan: true, expected_ont: {}, page: { flags: [] } };
  const job = { ...pack, scan: { fsan: "CXNK00000001", serial_number: "1" }, result: null, advice, answers: {}, photos: {}, refused: [], closures: [] };

  const screen = await provisioningScreen({ job, matrix: { edition: "m", questions: [] }, day: { jobs: [job] }, path: "/phone/jobs/J1/provisioning/", wizard: {} });

  assert.match(textOf(screen.body), /unknown time/);
});

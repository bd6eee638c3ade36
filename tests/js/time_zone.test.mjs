// A phone that is set to another zone than the site's: it names times and ends its day as the server does.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import "./browser.mjs";
import { isOutdated, planDay } from "../../static/js/phone/app/day_plan.js";
import { formatDay } from "../../static/js/phone/app/moment_texts.js";
import { timerStatus } from "../../static/js/phone/app/lone_worker.js";
import { timestamp } from "../../static/js/phone/app/screens/components.js";
import { dateOf, nextDate, setTimeZone } from "../../static/js/phone/app/time_zone.js";
import { textOf } from "./elements.mjs";

process.env.TZ = "Europe/Berlin";
afterEach(() => setTimeZone());

const moment = (text) => new Date(text);
const job = { id: "J-1", state: "assigned", is_today: false, planned: { start: "2026-12-01T08:00:00Z", end: "2026-12-01T10:00:00Z" } };
const day = { day: "2026-11-30", fetched_at: Date.parse("2026-11-30T20:00:00Z"), jobs: [job] };
const LATE = moment("2026-11-30T23:15:00Z");
const MIDNIGHT = moment("2026-12-01T00:00:00Z");

test("times are the site's", () => {
  setTimeZone("Europe/London");
  assert.match(textOf(timestamp("2026-11-30T23:15:00Z")), /^Mon,? 30 Nov, 23:15$/);
  assert.match(timerStatus({ job: "J-1", due_at: "2026-11-30T23:15:00Z" }).words, /at 23:15,/);
  assert.match(formatDay(moment("2025-12-31T23:30:00Z"), LATE), /^Wed,? 31 Dec 2025$/);
});

test("the day ends at the site's midnight", () => {
  setTimeZone("Europe/London");
  assert.deepEqual([LATE, MIDNIGHT].map((now) => isOutdated(day, now)), [false, true]);
  assert.deepEqual([LATE, MIDNIGHT].map((now) => planDay(day, now).open.length), [0, 1]);
});

test("a day that names no zone, or one that the browser does not know, is read in the phone's", () => {
  for (const zone of [undefined, "Europe/Atlantis"]) {
    setTimeZone(zone);
    assert.match(textOf(timestamp("2026-11-30T23:15:00Z")), /^Tue,? 1 Dec, 00:15$/);
    assert.equal(isOutdated(day, LATE), true);
  }
});

test("the next date comes after 23, 24 or 25 hours", () => {
  setTimeZone("Europe/London");
  const late = ["2026-03-28T23:30:00Z", "2026-03-29T22:30:00Z", "2026-10-24T23:10:00Z", "2026-12-31T23:59:00Z"].map(moment);
  assert.deepEqual(late.map((each) => [each, nextDate(each)].map(dateOf)), [
    ["2026-03-28", "2026-03-29"],
    ["2026-03-29", "2026-03-30"],
    ["2026-10-25", "2026-10-26"],
    ["2026-12-31", "2027-01-01"],
  ]);
});

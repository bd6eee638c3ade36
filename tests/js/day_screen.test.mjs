// What the day's page says of dates when the last word of the server is of yesterday.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import "./browser.mjs";
import { textOf } from "./elements.mjs";
import { openDatabaseOf } from "../../static/js/phone/app/database.js";
import { dayScreen } from "../../static/js/phone/app/screens/day_screen.js";

const AHEAD = 2 * 86_400_000;

test("the dates of a list of yesterday are the server's, also where this phone's clock is wrong", async () => {
  await openDatabaseOf("ERIN");
  const day = { day: "2026-11-22", day_words: "Sun 22 Nov", clock_ahead: AHEAD, fetched_at: +new Date(2026, 10, 22, 20) + AHEAD, jobs: [] };
  mock.timers.enable({ apis: ["Date"], now: +new Date(2026, 10, 23, 7) + AHEAD });
  const text = textOf((await dayScreen({ day, rows: [], unfinished: [] })).body);
  mock.timers.reset();
  assert.match(text, /Today Mon,? 23 Nov/);
  assert.match(text, /This list is from Sun 22 Nov\./);
  assert.match(text, /Tomorrow Tue,? 24 Nov/);
});

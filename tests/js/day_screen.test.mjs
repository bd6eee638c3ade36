// What the day's page says of dates when the last word of the server is of yesterday.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import "./browser.mjs";
import { elementsOf, linksOf, textOf } from "./elements.mjs";
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

const PAGE = { address: "2 Ling Bob", kind: "Installation", starts: "10:00", window_hours: "08:00–13:00", flags: [], call_url: "tel:07700", navigate_url: "https://maps.example/2" };
const jobIn = (state, more = {}) => ({ id: state, state, is_today: true, pending: 0, closures: [], planned: { start: "2026-11-23T10:00:00Z", end: "2026-11-23T11:00:00Z" }, page: { ...PAGE }, ...more });

test("the customer and the way there are one tap away while nobody is at the premises", async () => {
  await openDatabaseOf("ERIN");
  const tomorrow = jobIn("assigned", { id: "T", is_today: false });
  const jobs = [jobIn("on_site"), jobIn("en_route"), jobIn("assigned"), jobIn("closed"), tomorrow];
  const day = { day: "2026-11-23", day_words: "Mon 23 Nov", fetched_at: +new Date(), jobs };
  const { body } = await dayScreen({ day, rows: [], unfinished: [] });

  const cards = elementsOf(body).filter((element) => element.name === "li" && linksOf(element).length === 3);
  assert.deepEqual(cards.map(linksOf), [
    ["/phone/jobs/en_route/", "tel:07700", "https://maps.example/2"],
    ["/phone/jobs/assigned/", "tel:07700", "https://maps.example/2"],
  ]);
  const labels = elementsOf(cards[0]).map(({ attributes }) => attributes["aria-label"]).filter(Boolean);
  assert.deepEqual(labels, ["Call, 2 Ling Bob", "Navigate, 2 Ling Bob"]);
});

// The phone's application: shows the page of the address from what lies on this phone, and keeps it fresh.

import * as drain from "./drain.js";
import * as language from "./language.js";
import * as queue from "./queue.js";
import * as router from "./router.js";
import * as server from "./server.js";
import * as store from "./store.js";
import { onDrafts, tidy } from "./drafts.js";
import { _ } from "./words.js";
import { watchPulse } from "./pulse.js";
import { laidOver } from "./view.js";
import { shareTheWay } from "./driving.js";
import { screenFor, takeUpTheRest } from "./screens/all.js";
import { unknown } from "./screens/unknown.js";
import { showStanding } from "./status.js";
import { watchForNewVersion } from "./version.js";
// hears what the browser offers once, early
import "./install.js";
import { look, onRoom, recover, watchRoom } from "./room.js";
import { remember } from "./people.js";
import { belongsTo, whose } from "./whose.js";

// the one queue of this page, for who looks into it from outside: the tests, the browser's console
export * as queue from "./queue.js";
export * as steps from "./steps.js";
export * as store from "./store.js";
export { laidOver } from "./view.js";

const WHO = "phone.engineer";
const FRESH_MS = 20_000;
const SETTLED_MS = 3_000;
let refreshing = null;
let shown = { jobs: [] };
// whose database this page works with, until it is loaded again
let engineer = "";

async function begin() {
  router.start(draw);
  engineer = (await whose()) || (await whoIsThis());
  if (engineer) await open();
  await router.show();
  if (engineer) keepFresh();
  document.body.dataset.app = "ready";
}

// The first time, and after somebody else signed in on this phone.
async function whoIsThis() {
  try {
    const day = await server.day();
    await take(day, 0);
    return day.engineer;
  } catch {
    return "";
  }
}

async function open() {
  await store.useDatabaseOf(engineer);
  // somebody else's phone until a moment ago
  if (!(await store.kept("day"))) await refresh().catch(() => {});
  remember(engineer);
  navigator.storage?.persist?.().catch(() => {});
}

function keepFresh() {
  queue.onChange(() => router.show());
  queue.onChange(askForBackgroundSync);
  queue.onChange(() => look().catch(() => {}));
  onRoom(() => showStanding(drain.standing));
  // twelve megabytes are written the first time: not while somebody waits for the page
  setTimeout(() => watchRoom().catch((problem) => console.error(problem)), SETTLED_MS);
  setTimeout(takeUpTheRest, SETTLED_MS);
  drain.onStanding(() => showStanding(drain.standing));
  onDrafts(() => showStanding(drain.standing));
  drain.start(engineer, refresh);
  for (const [place, moment] of [[document, "visibilitychange"], [window, "online"]]) place.addEventListener(moment, freshen);
  // a notice came: whoever looks at the list sees what it speaks of
  navigator.serviceWorker?.addEventListener("message", ({ data }) => data === "news" && refresh().catch(() => {}));
  setInterval(freshen, FRESH_MS);
  freshen();
  watchPulse((id) => shown.jobs.find((job) => job.id === id), refresh);
  watchForNewVersion();
  shareTheWay(() => shown);
}

function freshen() {
  if (document.visibilityState === "visible") refresh().catch(() => showStanding(drain.standing));
}

// Where the browser offers it, the worker sends what waits even when this page is closed by then.
async function askForBackgroundSync() {
  const registration = await navigator.serviceWorker?.getRegistration("/phone/");
  if (!registration?.sync || !queue.waiting(await queue.rows()).length) return;
  await registration.sync.register("queue").catch(() => {});
}

// The day as the server knows it now. Raises what server.js raises.
export function refresh() {
  refreshing ??= fetchDay().finally(() => {
    refreshing = null;
  });
  return refreshing;
}

async function fetchDay() {
  const turn = await queue.thisTurn();
  const day = await server.day();
  if (day.engineer !== engineer) {
    // nothing of this page may reach the other's database: it is opened by the page that comes now
    await belongsTo(day.engineer);
    location.reload();
    return;
  }
  await take(day, turn);
  await recover();
  await tidy(day.jobs);
  await router.show();
}

async function take(day, turn) {
  await store.useDatabaseOf(day.engineer);
  if (localStorage.getItem(WHO) !== day.engineer) await belongsTo(day.engineer);
  if (day.csrf_token) await store.keep("csrf", day.csrf_token);
  if (day.is_clock_right && (await store.kept("clock_words"))) await store.keep("clock_words", "");
  await queue.dropKnown(turn, { ...day, fetched_at: Date.now() });
}

async function draw(place) {
  if (!localStorage.getItem(WHO)) return unknown();
  const { day, rows } = await queue.dayAndRows();
  if (!day) return unknown();
  language.hear(day.language);
  document.querySelector("[data-name]").textContent = day.name ?? "";
  showStanding(drain.standing, rows);
  shown = laidOver(day, rows);
  return screenFor(place, { day: shown, rows, refresh });
}

begin().catch((problem) => {
  console.error(problem);
  document.querySelector("#main").textContent = _("Something went wrong here. Nothing is lost. Open the page again.");
});

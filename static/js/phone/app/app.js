// The phone's application: shows the page of the address from what lies on this phone, and keeps it fresh.

import * as drain from "./send_queue.js";
import { watchLocation } from "./geolocation.js";
import { hearOffice } from "./office_phone.js";
import * as queue from "./queue.js";
import * as router from "./router.js";
import * as server from "./api_client.js";
import * as store from "./database.js";
import { onDrafts, tidy } from "./drafts.js";
import { _ } from "./i18n.js";
import { watchForNews } from "./job_polling.js";
import { laidOver } from "./optimistic_state.js";
import { shareTheWay } from "./location_sharing.js";
import { screenFor, takeUpTheRest } from "./screens/routes.js";
import { showStanding, signInLink } from "./status_line.js";
import { askAgainForPositions } from "./actions.js";
import { registerServiceWorker, setServerLanguage, watchForNewVersion } from "./app_update.js";
// hears what the browser offers once, early
import "./install_prompt.js";
import { look, onRoom, recover, watchRoom } from "./storage_quota.js";
import { lock, lockedAt, ownerOf, removeExpired, unlock } from "./data_retention.js";
import { remember, removeOthers } from "./known_engineers.js";
import { firstSignInScreen, lockedScreen } from "./screens/sign_in_screens.js";
import { belongsTo, whose } from "./current_engineer.js";

// the one queue of this page, for who looks into it from outside: the tests, the browser's console
export * as queue from "./queue.js";
export * as steps from "./workflow.js";
export * as store from "./database.js";
export { laidOver } from "./optimistic_state.js";

const WHO = "phone.engineer";
const FRESH_MS = 30_000;
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
  await registerServiceWorker().catch((problem) => console.warn("works with signal only", problem));
  if (engineer) watchForNewVersion();
  document.body.dataset.app = "ready";
}

// The first time, and after somebody else signed in on this phone.
async function whoIsThis() {
  try {
    const day = await server.day();
    await take(day, 0);
    return day.engineer;
  } catch (problem) {
    // nobody is signed in: the form is the next thing, not a page that leads to it
    if (problem instanceof server.SignedOut) location.replace(signInLink().href);
    return "";
  }
}

async function open() {
  await store.useDatabaseOf(engineer);
  await removeExpired();
  // somebody else's phone until a moment ago, or locked until somebody signed in
  if (!(await store.kept("day")) || (await lockedAt())) await refresh().catch(() => {});
  remember(engineer);
  removeOthers(engineer).catch(console.warn);
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
  drain.onStanding(() => drain.standing.word === "signed_out" && lockHere().catch(console.error));
  onDrafts(() => showStanding(drain.standing));
  drain.start(engineer, refresh);
  askAgainForPositions().catch(console.error);
  for (const [place, moment] of [[document, "visibilitychange"], [window, "online"]]) place.addEventListener(moment, freshen);
  for (const moment of ["online", "offline"]) addEventListener(moment, () => router.show());
  // a notice came: whoever looks at the list sees what it speaks of
  navigator.serviceWorker?.addEventListener("message", ({ data }) => data === "news" && refresh().catch(() => {}));
  setInterval(freshen, FRESH_MS);
  freshen();
  watchForNews((id) => shown.jobs.find((job) => job.id === id), refresh);
  watchLocation(() => router.show());
  shareTheWay(() => shown);
}

function freshen() {
  // without an answer the day may be another one by now
  if (document.visibilityState === "visible") refresh().catch(() => router.show());
}

// Where the browser offers it, the worker sends what waits even when this page is closed by then.
async function askForBackgroundSync() {
  const registration = await navigator.serviceWorker?.getRegistration("/phone/");
  if (!registration?.sync || !queue.waiting(await queue.rows()).length) return;
  await registration.sync.register("queue").catch(() => {});
}

// The day as the server knows it now. Raises what api_client.js raises.
export function refresh() {
  refreshing ??= fetchDay()
    .catch(async (problem) => {
      if (problem instanceof server.SignedOut) await lockHere();
      throw problem;
    })
    .finally(() => {
      refreshing = null;
    });
  return refreshing;
}

// Nobody is signed in any more: no job is shown, also after this page is gone, until somebody signs in.
async function lockHere() {
  if (await lockedAt()) return;
  await lock();
  await router.show();
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
  await unlock();
  if (day.is_clock_right && (await store.kept("clock_words"))) await store.keep("clock_words", "");
  await queue.dropKnown(turn, { ...day, fetched_at: Date.now() });
}

async function draw(place) {
  if (!localStorage.getItem(WHO)) return firstSignInScreen();
  const { day, rows } = await queue.dayAndRows();
  if (await lockedAt()) return drawLocked(day, rows);
  if (!day) return firstSignInScreen();
  setServerLanguage(day.language);
  hearOffice(day.office_phone);
  document.querySelector("[data-name]").textContent = day.name ?? "";
  showStanding(drain.standing, rows);
  shown = laidOver(day, rows);
  return screenFor(place, { day: shown, rows, refresh });
}

async function drawLocked(day, rows) {
  server.session.ended = true;
  showStanding(drain.standing, rows);
  shown = { jobs: [] };
  return lockedScreen({ owner: await ownerOf(engineer, day), rows });
}

// browser_support.js has looked whether this browser can run it
if (document.body.dataset.app !== "unsupported") {
  document.body.dataset.app = "opening";
  begin().catch((problem) => {
    console.error(problem);
    document.querySelector("#main").textContent = _("Something went wrong here. Nothing is lost. Open the page again.");
  });
}

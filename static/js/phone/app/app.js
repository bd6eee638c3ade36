// Entry point of the phone's application: renders the screen of the address from this phone's database, and keeps the
// data fresh.

import * as sendQueue from "./send_queue.js";
import { watchLocation } from "./geolocation.js";
import { setOfficePhone } from "./office_phone.js";
import * as queue from "./queue.js";
import * as router from "./router.js";
import * as server from "./api_client.js";
import { setClockAhead } from "./clock_skew.js";
import * as database from "./database.js";
import { onDraftStatus } from "./drafts.js";
import { _ } from "./i18n.js";
import { startJobPolling } from "./job_polling.js";
import { runningTimer } from "./lone_worker.js";
import { applyQueue } from "./optimistic_state.js";
import { startLocationSharing } from "./location_sharing.js";
import { screenFor, preloadScreens } from "./screens/routes.js";
import { showStatus, signInLink } from "./status_line.js";
import { setTimeZone } from "./time_zone.js";
import { resumePositions } from "./actions.js";
import { renewSubscription } from "./push_subscription.js";
import { registerServiceWorker, setServerLanguage, watchForNewVersion } from "./app_update.js";
// listens for an event that the browser sends once, early
import "./install_prompt.js";
import { measureStorage, offerReserve, onStorageChange, retryReserve, watchStorage } from "./storage_quota.js";
import { lock, lockedAt, lockOwner, purgeDrafts, purgeExpired, unlock } from "./data_retention.js";
import { rememberEngineer, purgeOthers } from "./known_engineers.js";
import { firstSignInScreen, lockedScreen } from "./screens/sign_in_screens.js";
import { setEngineer, getEngineer } from "./current_engineer.js";
import { listUnfinishedWork } from "./unfinished_work.js";

// the one queue of this page, for who looks into it from outside: the tests, the browser's console
export * as queue from "./queue.js";
export * as workflow from "./workflow.js";
export * as database from "./database.js";
export { applyQueue } from "./optimistic_state.js";

const ENGINEER_KEY = "phone.engineer";
const FRESH_MS = 30_000;
const SETTLED_MS = 3_000;
/** @type {Promise<void> | null} */
let refreshing = null;
/** @type {Pick<Day, "jobs" | "shares_position">} */
let currentDay = { jobs: [] };
// whose database this page works with, until it is loaded again
let engineer = "";

async function startApp() {
  offerReserve();
  router.startRouter(drawScreen);
  engineer = (await getEngineer()) || (await detectEngineer());
  if (engineer) await openEngineer();
  await router.render();
  if (engineer) startUpdates();
  await registerServiceWorker().catch((problem) => console.warn("works with signal only", problem));
  if (engineer) watchForNewVersion();
  document.body.dataset.app = "ready";
}

// The first time, and after somebody else signed in on this phone.
async function detectEngineer() {
  try {
    const day = await server.fetchPreloadedDay();
    await storeDay(day, 0);
    return day.engineer;
  } catch (problem) {
    // nobody is signed in: the form is the next thing, not a page that leads to it
    if (problem instanceof server.SignedOut) location.replace(signInLink().href);
    return "";
  }
}

async function openEngineer() {
  await database.openDatabaseOf(engineer);
  await purgeExpired();
  // somebody else's phone until a moment ago, or locked until somebody signed in
  if (!(await database.getValue("day")) || (await lockedAt())) await refresh().catch(() => {});
  rememberEngineer(engineer);
  purgeOthers(engineer).catch(console.warn);
  navigator.storage?.persist?.().catch(() => {});
}

function startUpdates() {
  queue.onChange(() => router.render());
  queue.onChange(askForBackgroundSync);
  queue.onChange(() => measureStorage().catch(() => {}));
  onStorageChange(() => showStatus(sendQueue.status));
  // twelve megabytes are written the first time: not while somebody waits for the page
  setTimeout(() => watchStorage().catch((problem) => console.error(problem)), SETTLED_MS);
  setTimeout(preloadScreens, SETTLED_MS);
  sendQueue.onStatus(() => showStatus(sendQueue.status));
  sendQueue.onStatus(() => sendQueue.status.state === "signed_out" && lockPhone().catch(console.error));
  onDraftStatus(() => showStatus(sendQueue.status));
  sendQueue.startSending(engineer, refresh);
  resumePositions().catch(console.error);
  document.addEventListener("visibilitychange", refreshIfVisible);
  addEventListener("online", refreshIfVisible);
  for (const moment of ["online", "offline"]) addEventListener(moment, () => router.render());
  // a notice came: whoever looks at the list sees what it speaks of
  navigator.serviceWorker?.addEventListener("message", ({ data }) => data === "news" && refresh().catch(() => {}));
  setInterval(refreshIfVisible, FRESH_MS);
  refreshIfVisible();
  startJobPolling((id) => currentDay.jobs.find((job) => job.id === id), refresh);
  watchLocation(() => router.render());
  startLocationSharing(() => currentDay);
}

function refreshIfVisible() {
  // without an answer the day may be another one by now
  if (document.visibilityState === "visible") refresh().catch(() => router.render());
}

// Where the browser offers it, the worker sends what waits even when this page is closed by then.
async function askForBackgroundSync() {
  const registration = await navigator.serviceWorker?.getRegistration("/phone/");
  if (!registration?.sync || !queue.pendingRows(await queue.rows()).length) return;
  await registration.sync.register("queue").catch(() => {});
}

// The day as the server knows it now. Raises what api_client.js raises.
export function refresh() {
  refreshing ??= loadDay()
    .catch(async (problem) => {
      if (problem instanceof server.SignedOut) await lockPhone();
      throw problem;
    })
    .finally(() => {
      refreshing = null;
    });
  return refreshing;
}

// Nobody is signed in any more: no job is shown, also after this page is gone, until somebody signs in.
async function lockPhone() {
  if (await lockedAt()) return;
  await lock();
  await router.render();
}

async function loadDay() {
  const revision = await queue.currentRevision();
  const day = await server.fetchDay();
  if (day.engineer !== engineer) {
    // nothing of this page may reach the other's database: it is opened by the page that comes now
    await setEngineer(day.engineer);
    location.reload();
    return;
  }
  await storeDay(day, revision);
  renewSubscription().catch(console.warn);
  await retryReserve();
  await purgeDrafts(day);
  await router.render();
}

/** @param {FetchedDay} day @param {number} revision */
async function storeDay(day, revision) {
  await database.openDatabaseOf(day.engineer);
  if (localStorage.getItem(ENGINEER_KEY) !== day.engineer) await setEngineer(day.engineer);
  await database.setValue("csrf", day.csrf_token);
  await unlock();
  if (!day.clock_ahead && (await database.getValue("clock_words"))) await database.setValue("clock_words", "");
  await queue.pruneSynced(revision, { ...day, fetched_at: Date.now() });
}

/** @param {ScreenAddress} address @returns {Promise<PhoneScreen | null>} */
async function drawScreen(address) {
  if (!localStorage.getItem(ENGINEER_KEY)) return firstSignInScreen();
  const { day, rows } = await queue.readDayAndRows();
  if (await lockedAt()) return drawLocked(day, rows);
  if (!day) return firstSignInScreen();
  setServerLanguage(day.language);
  setOfficePhone(day.office_phone);
  setClockAhead(day.clock_ahead);
  setTimeZone(day.time_zone);
  /** @type {Element} */ (document.querySelector("[data-name]")).textContent = day.name;
  const displayed = (currentDay = applyQueue(day, rows));
  const unfinished = await listUnfinishedWork(displayed);
  showStatus(sendQueue.status, rows, { timer: runningTimer(displayed, rows), unfinished: unfinished.length });
  return screenFor(address, { day: displayed, rows, unfinished, refresh });
}

/** @param {StoredDay | undefined} day @param {QueueRow[]} rows */
async function drawLocked(day, rows) {
  server.session.ended = true;
  showStatus(sendQueue.status, rows);
  currentDay = { jobs: [] };
  return lockedScreen({ owner: await lockOwner(engineer, day), rows });
}

// browser_support.js has looked whether this browser can run it
if (document.body.dataset.app !== "unsupported") {
  document.body.dataset.app = "opening";
  startApp().catch((problem) => {
    console.error(problem);
    /** @type {HTMLElement} */ (document.querySelector("#main")).textContent = _("Something went wrong. Your work is safe. Reload the page.");
  });
}

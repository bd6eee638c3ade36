// Sends the queue: messages first and in order, then the photos, one at a time; what is tapped meanwhile overtakes them.
// Stops at the first network failure and retries automatically: when the network or the page comes back, and on a timer
// with back-off.

import { applyQueue } from "./optimistic_state.js";
import { laneOf, nextToSend } from "./send_order.js";
import * as queue from "./queue.js";
import * as server from "./api_client.js";
import { setValue, openDatabaseOf } from "./database.js";
import * as uploads from "./photo_upload.js";

export { isWifiOnly, mayUploadPhotos } from "./photo_upload.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
const QUIET_MS = 60_000;
// a tab that the phone has put to sleep may keep the lock; sending at the same time doubles nothing
const LONGEST_LOCK_MS = 60_000;
const MOST_SERVER_ERRORS = 3;
const RETRY_DURING_PHOTO_MS = 3000;

// what of this round waits for the next one: the server's error (an answer of 500 and the like) by lane
/** @typedef {Map<string, unknown>} Stumbles */

/** @type {SendStatus} */
export const status = { state: "idle", photo: null, serverErrors: 0 };
const events = new EventTarget();
let engineer = "";
let failures = 0;
/** @type {ReturnType<typeof setTimeout> | 0} */
let timer = 0;
/** @type {Promise<void> | null} */
let currentRounds = null;
let isWanted = false;
let isStarted = false;
/** @type {() => Promise<void>} */
let afterRound = async () => {};
// of the queue, ever; who waits for the next one
let changes = 0;
let wakeUp = () => {};
queue.onChange(() => {
  changes += 1;
  wakeUp();
});

/** @param {() => void} listener */
export function onStatus(listener) {
  events.addEventListener("change", listener);
}

/** @param {SendStatus["state"]} state @param {SendStatus["photo"]} [photo] */
function setStatus(state, photo = null) {
  status.state = state;
  status.photo = photo;
  events.dispatchEvent(new Event("change"));
}

// `then` is called after each round that sent something.
/** @param {string} engineerId @param {() => Promise<void>} then */
export function startSending(engineerId, then) {
  engineer = engineerId;
  afterRound = then;
  isStarted = true;
  addEventListener("online", sendNow);
  addEventListener("pageshow", sendNow);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && sendNow());
  navigator.serviceWorker?.addEventListener("message", ({ data }) => data === "sync" && sendNow());
  navigator.connection?.addEventListener?.("change", sendNow);
  queue.onChange(sendNow);
  sendNow();
}

// From the worker, when no page is looked at: one round for this engineer, as far as the network carries. Whoever is not
// signed in has to come themselves: trying again would send nothing.
/** @param {string} engineerId */
export async function sendInBackground(engineerId) {
  if (isStarted) return;
  engineer = engineerId;
  await openDatabaseOf(engineerId);
  await withLock(sendAll).catch((problem) => {
    if (!(problem instanceof server.SignedOut)) throw problem;
  });
}

// One round at a time; who asks during a round gets one more after it.
export function sendNow() {
  isWanted = true;
  currentRounds ??= runRounds();
  return currentRounds;
}

async function runRounds() {
  clearTimeout(timer);
  let wait = FIRST_WAIT_MS;
  try {
    while (isWanted) {
      isWanted = false;
      wait = await runRound();
    }
  } finally {
    // in the same turn as the last look at `isWanted`, so that no request in between is missed
    currentRounds = null;
    timer = setTimeout(sendNow, wait);
  }
}

// One tab of this phone sends; the others look again when it notifies them of a change.
/** @template Result @param {() => Promise<Result>} work @returns {Promise<Result>} */
async function withLock(work) {
  if (!navigator.locks) return work();
  let isMine = false;
  const begin = () => {
    isMine = true;
    return work();
  };
  try {
    return await navigator.locks.request(`send-queue-${engineer}`, { signal: AbortSignal.timeout(LONGEST_LOCK_MS) }, begin);
  } catch (problem) {
    if (isMine) throw problem;
    return work();
  }
}

// How long until the next one, in milliseconds.
async function runRound() {
  try {
    const hasSent = await withLock(sendAll);
    failures = status.serverErrors = 0;
    if (hasSent) await afterRound();
    const left = queue.pendingRows(await queue.rows());
    setStatus(left.length ? "waiting" : "idle");
    return left.length ? holdTime(left) : QUIET_MS;
  } catch (problem) {
    failures += 1;
    status.serverErrors = isRefusedByServer(problem) ? status.serverErrors + 1 : 0;
    if (problem instanceof server.SignedOut) setStatus("signed_out");
    else if (problem instanceof server.Unreachable) setStatus("waiting");
    else {
      setStatus("broken");
      console.error(problem);
    }
    return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
  }
}

// It has answered: there is signal.
/** @param {unknown} problem */
const isRefusedByServer = (problem) => problem instanceof server.Unreachable && problem.status >= 400;

// What waits by choice (a position on its way, Wi-Fi for pictures) is looked at again soon.
/** @param {QueueRow[]} rows */
function holdTime(rows) {
  const held = rows.map((row) => row.hold_until - Date.now()).filter((left) => left > 0);
  return Math.max(FIRST_WAIT_MS, Math.min(QUIET_MS, ...held));
}

async function sendAll() {
  let hasSent = false;
  /** @type {Stumbles} */
  const stumbles = new Map();
  for (;;) {
    if (await sendMessages(stumbles)) hasSent = true;
    const { rows, jobs } = await readQueue();
    const photo = await uploads.nextPhoto(rows, jobs);
    if (!photo) break;
    await sendPhoto(photo, stumbles);
    hasSent = true;
  }
  for (const problem of stumbles.values()) throw problem;
  return hasSent;
}

// The rows, and the jobs as they stand with them.
async function readQueue() {
  const { day, rows } = await queue.readDayAndRows();
  return { rows, jobs: day ? applyQueue(day, rows).jobs : [] };
}

// All that may be sent now; whether there was anything.
/** @param {Stumbles} stumbles */
async function sendMessages(stumbles) {
  for (let hasSent = false; ; hasSent = true) {
    const { rows, jobs } = await readQueue();
    const next = nextToSend(rows, jobs, Date.now(), stumbles.keys());
    if (!next.length) return hasSent;
    setStatus("sending", status.photo);
    await sendBatch(next, stumbles);
  }
}

// It may take minutes; a check-in, or the next tap, does not wait for it.
/** @param {PhotoRow} row @param {Stumbles} stumbles */
async function sendPhoto(row, stumbles) {
  const upload = uploads.sendPhoto(row, engineer, (part) => setStatus("sending", { id: row.photo, part }));
  const isOver = upload.then(() => true, () => true);
  let seen = -1;
  while (!(await Promise.race([isOver, nextChange(seen)]))) {
    seen = changes;
    try {
      await sendMessages(stumbles);
    } catch (problem) {
      if (!(problem instanceof server.Unreachable)) break;
      seen = -1;
      await Promise.race([isOver, pause(RETRY_DURING_PHOTO_MS)]);
    }
  }
  await upload;
  // its bar ends with it, whatever follows
  setStatus("sending");
}

// The queue is another one than `seen`, now or later.
/** @param {number} seen @returns {Promise<false>} */
const nextChange = (seen) => new Promise((resolve) => (seen === changes ? (wakeUp = () => resolve(false)) : resolve(false)));

/** @param {number} milliseconds @returns {Promise<void>} */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @param {QueueRow[]} rows @param {Stumbles} stumbles */
async function sendBatch(rows, stumbles) {
  try {
    await sendRows(rows);
  } catch (problem) {
    if (!isServerError(problem)) throw problem;
    await sendOneByOne(rows, stumbles);
  }
}

/** @param {unknown} problem */
const isServerError = (problem) => problem instanceof server.Unreachable && problem.status >= 500;

// One message may cause the server's error: those before it and the other jobs' arrive nevertheless.
/** @param {QueueRow[]} rows @param {Stumbles} stumbles */
async function sendOneByOne(rows, stumbles) {
  for (const row of rows) {
    if (stumbles.has(laneOf(row))) continue;
    try {
      await sendRows([row]);
    } catch (problem) {
      if (!isServerError(problem) || stumbles.size === MOST_SERVER_ERRORS) throw problem;
      stumbles.set(laneOf(row), problem);
    }
  }
}

/** @param {QueueRow[]} rows */
async function sendRows(rows) {
  const results = await server.sendMessages(rows.map(({ entry }) => entry), engineer);
  const answered = new Set(results.map(({ message_id: id }) => id));
  if (!rows.every(({ entry }) => answered.has(entry.message_id))) throw new Error("not every message was answered");
  await queue.applyResults(results);
}

// Kept when the promise is; the sending goes on behind it.
/** @param {boolean} yes */
export async function setWifiOnly(yes) {
  await setValue("photos_on_wifi_only", yes);
  sendNow();
}

// Those that wait now, whatever the switch is set to: a closure may wait for them.
export async function sendPhotosOverMobile() {
  await uploads.allowMobileData();
  return sendNow();
}

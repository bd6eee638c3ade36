// Sends the queue: messages first and in order, then the photos, one at a time. Stops at the first network failure and
// retries automatically: when the network or the page comes back, and on a timer with back-off.

import { nextToSend } from "./send_order.js";
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

/** @type {SendStatus} */
export const status = { state: "idle", photo: null };
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
/** @param {string} staffNumber @param {() => Promise<void>} then */
export function startSending(staffNumber, then) {
  engineer = staffNumber;
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

// From the worker, when no page is open: one round for this engineer, as far as the network carries. Whoever is not
// signed in has to come themselves: trying again would send nothing.
/** @param {string} staffNumber */
export async function sendInBackground(staffNumber) {
  if (isStarted) return;
  engineer = staffNumber;
  await openDatabaseOf(staffNumber);
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
    // in the same turn as the last look at `wanted`, so that no request in between is missed
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
    failures = 0;
    if (hasSent) await afterRound();
    const left = queue.pendingRows(await queue.rows());
    setStatus(left.length ? "waiting" : "idle");
    return left.length ? holdTime(left) : QUIET_MS;
  } catch (problem) {
    failures += 1;
    if (problem instanceof server.SignedOut) setStatus("signed_out");
    else if (problem instanceof server.Unreachable) setStatus("waiting");
    else {
      setStatus("broken");
      console.error(problem);
    }
    return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
  }
}

// What waits by choice (a position on its way, Wi-Fi for pictures) is looked at again soon.
/** @param {QueueRow[]} rows */
function holdTime(rows) {
  const held = rows.map((row) => row.hold_until - Date.now()).filter((left) => left > 0);
  return Math.max(FIRST_WAIT_MS, Math.min(QUIET_MS, ...held));
}

async function sendAll() {
  let hasSent = false;
  /** @type {unknown} */
  let stumble = null;
  for (;;) {
    const rows = await queue.rows();
    const next = stumble ? [] : nextToSend(rows);
    const photo = next.length ? null : await uploads.nextPhoto(rows);
    if (!next.length && !photo) break;
    setStatus("sending");
    if (photo) await sendPhoto(photo);
    else stumble = await sendBatch(next);
    hasSent = true;
  }
  if (stumble) throw stumble;
  return hasSent;
}

/** @param {PhotoRow} row */
async function sendPhoto(row) {
  await uploads.sendPhoto(row, (part) => setStatus("sending", { id: row.photo, part }));
  // its bar ends with it, whatever follows
  setStatus("sending");
}

// Gives the server's error (an answer of 500 and the like), or null.
/** @param {QueueRow[]} rows */
async function sendBatch(rows) {
  try {
    await sendRows(rows);
  } catch (problem) {
    if (!isServerError(problem)) throw problem;
    return sendOneByOne(rows);
  }
  return null;
}

/** @param {unknown} problem */
const isServerError = (problem) => problem instanceof server.Unreachable && problem.status >= 500;

// One message may cause the server's error: those before it and the other jobs' arrive nevertheless.
/** @param {QueueRow[]} rows */
async function sendOneByOne(rows) {
  const stuck = new Set();
  /** @type {unknown} */
  let last = null;
  for (const row of rows) {
    if (stuck.has(row.entry.job)) continue;
    try {
      await sendRows([row]);
    } catch (problem) {
      if (!isServerError(problem) || stuck.size === MOST_SERVER_ERRORS) throw problem;
      stuck.add(row.entry.job);
      last = problem;
    }
  }
  return last;
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

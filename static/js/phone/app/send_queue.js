// Sends the queue: messages first and in order, then the pictures, one at a time. Stops at the first failure of the
// network and goes on by itself: when the network or the page comes back, and on a timer that never gives up.

import { sendable } from "./send_order.js";
import * as queue from "./queue.js";
import * as server from "./api_client.js";
import { keep, useDatabaseOf } from "./database.js";
import * as uploads from "./photo_upload.js";

export { isWifiOnly, mayTakePhotos } from "./photo_upload.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
const QUIET_MS = 60_000;
// a tab that the phone has put to sleep may keep the lock; sending beside it doubles nothing
const LONGEST_LOCK_MS = 60_000;
const MOST_STUMBLES = 3;

// {word: "idle" | "sending" | "waiting" | "signed_out" | "broken", photo: {id, part} | null}
export const standing = { word: "idle", photo: null };
const news = new EventTarget();
let engineer = "";
let failures = 0;
let timer = 0;
let running = null;
let wanted = false;
let begun = false;
let afterwards = async () => {};

export function onStanding(listener) {
  news.addEventListener("change", listener);
}

function stand(word, photo = null) {
  standing.word = word;
  standing.photo = photo;
  news.dispatchEvent(new Event("change"));
}

// `then` is called after each round that told the server something.
export function start(staffNumber, then) {
  engineer = staffNumber;
  afterwards = then;
  begun = true;
  addEventListener("online", now);
  addEventListener("pageshow", now);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && now());
  navigator.serviceWorker?.addEventListener("message", ({ data }) => data === "sync" && now());
  navigator.connection?.addEventListener?.("change", now);
  queue.onChange(now);
  now();
}

// From the worker, when no page is open: one round for this engineer, as far as the network carries. Whoever is not
// signed in has to come themselves: trying again would send nothing.
export async function once(staffNumber) {
  if (begun) return;
  engineer = staffNumber;
  await useDatabaseOf(staffNumber);
  await alone(drain).catch((problem) => {
    if (!(problem instanceof server.SignedOut)) throw problem;
  });
}

// One round at a time; who asks during a round gets one more after it.
export function now() {
  wanted = true;
  running ??= rounds();
  return running;
}

async function rounds() {
  clearTimeout(timer);
  let wait = FIRST_WAIT_MS;
  try {
    while (wanted) {
      wanted = false;
      wait = await round();
    }
  } finally {
    // in the same breath as the last look at `wanted`, so that nobody asks in between and is not heard
    running = null;
    timer = setTimeout(now, wait);
  }
}

// One tab of this phone sends; the others look again when it tells them of a change.
async function alone(work) {
  if (!navigator.locks) return work();
  let isMine = false;
  const begin = () => {
    isMine = true;
    return work();
  };
  try {
    return await navigator.locks.request(`drain-${engineer}`, { signal: AbortSignal.timeout(LONGEST_LOCK_MS) }, begin);
  } catch (problem) {
    if (isMine) throw problem;
    return work();
  }
}

// How long until the next one, in milliseconds.
async function round() {
  try {
    const told = await alone(drain);
    failures = 0;
    if (told) await afterwards();
    const left = queue.waiting(await queue.rows());
    stand(left.length ? "waiting" : "idle");
    return left.length ? nextHold(left) : QUIET_MS;
  } catch (problem) {
    failures += 1;
    if (problem instanceof server.SignedOut) stand("signed_out");
    else if (problem instanceof server.NotReached) stand("waiting");
    else {
      stand("broken");
      console.error(problem);
    }
    return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
  }
}

// What waits by choice (a position on its way, Wi-Fi for pictures) is looked at again soon.
function nextHold(rows) {
  const held = rows.map((row) => row.hold_until - Date.now()).filter((left) => left > 0);
  return Math.max(FIRST_WAIT_MS, Math.min(QUIET_MS, ...held));
}

async function drain() {
  let told = false;
  let stumble = null;
  for (;;) {
    const rows = await queue.rows();
    const next = stumble ? [] : sendable(rows);
    const photo = next.length ? null : await uploads.nextPhoto(rows);
    if (!next.length && !photo) break;
    stand("sending");
    if (photo) await sendPhoto(photo);
    else stumble = await sayNext(next);
    told = true;
  }
  if (stumble) throw stumble;
  return told;
}

async function sendPhoto(row) {
  await uploads.sendPhoto(row, (part) => stand("sending", { id: row.photo, part }));
  // its bar ends with it, whatever follows
  stand("sending");
}

// Gives what the server stumbled over (an answer of 500 and the like), or null.
async function sayNext(rows) {
  try {
    await say(rows);
  } catch (problem) {
    if (!isStumble(problem)) throw problem;
    return oneByOne(rows);
  }
  return null;
}

const isStumble = (problem) => problem instanceof server.NotReached && problem.status >= 500;

// One message may be what the server stumbles over: those before it and the other jobs' arrive nevertheless.
async function oneByOne(rows) {
  const stuck = new Set();
  let last = null;
  for (const row of rows) {
    if (stuck.has(row.entry.job)) continue;
    try {
      await say([row]);
    } catch (problem) {
      if (!isStumble(problem) || stuck.size === MOST_STUMBLES) throw problem;
      stuck.add(row.entry.job);
      last = problem;
    }
  }
  return last;
}

async function say(rows) {
  const results = await server.say(rows.map(({ entry }) => entry), engineer);
  const answered = new Set(results.map(({ message_id: id }) => id));
  if (!rows.every(({ entry }) => answered.has(entry.message_id))) throw new Error("not every message was answered");
  await queue.settle(results);
}

// Kept when the promise is; the sending goes on behind it.
export async function setWifiOnly(yes) {
  await keep("photos_on_wifi_only", yes);
  now();
}

// Those that wait now, whatever the switch says: a closing may wait for them.
export async function sendPhotosOverMobile() {
  await uploads.overMobile();
  return now();
}

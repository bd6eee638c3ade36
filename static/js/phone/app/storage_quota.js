// How much storage the phone has left. The status line warns while there is still space for a day's photos.

import { getValue, onFull, resultOf, setValue, StorageFull, write } from "./database.js";
import { _, fill, formatNumber, plural } from "./i18n.js";

const PHOTO_BYTES = 400_000;
const LOW_BYTES = 40 * PHOTO_BYTES;
const MANY = 1000;
const AGAIN_MS = 30_000;
const MEGABYTE = 1_000_000;

// what Chromium reports to every page, so that nobody is known by the size of a disk
const GIBIBYTE = 2 ** 30;

const RESERVE = "reserve";
const RESERVE_BYTES = 12_000_000;
// what crypto fills at once
const CRYPTO_BYTES = 65_536;

// `left` in bytes, null when the browser does not report it
/** @type {PhoneStorage} */
export const storage = { left: null, low: false, persisted: null };
const events = new EventTarget();
// not on the disk: released to a tap, or just being written
let isReserveReleased = false;
// as of the last try
let isReserveShort = false;
/** @type {Promise<PhoneStorage> | null} */
let measuring = null;
let retriedAt = -Infinity;

/** @param {() => void} listener */
export function onStorageChange(listener) {
  events.addEventListener("change", listener);
}

// From now on, before anything is written: a write that finds no room gets that of the reserve, which an earlier page
// may have taken.
export function offerReserve() {
  onFull(releaseReserve);
}

// Called when nobody waits for the page any more; raises what is no lack of room.
export async function watchStorage() {
  await measureStorage();
  await takeReserve();
}

// Looked at when the application opens, after each tap and before each picture.
export function measureStorage() {
  measuring ??= measure().finally(() => {
    measuring = null;
  });
  return measuring;
}

async function measure() {
  const { quota, usage = 0 } = (await navigator.storage?.estimate?.()) ?? {};
  const left = quota === undefined ? 0 : Math.max(0, quota - usage);
  storage.left = left % GIBIBYTE === 0 ? null : left;
  storage.persisted = (await navigator.storage?.persisted?.()) ?? null;
  updateLow();
  return storage;
}

// Something was sent and deleted: the reserve may find its space again.
export async function retryReserve() {
  if (!isReserveShort || performance.now() - retriedAt < AGAIN_MS) return;
  retriedAt = performance.now();
  await takeReserve();
}

function updateLow() {
  const low = isReserveShort || (storage.left !== null && storage.left < LOW_BYTES);
  const isChanged = low !== storage.low;
  storage.low = low;
  if (isChanged) events.dispatchEvent(new Event("change"));
}

/** @param {number} left bytes */
const photosFor = (left) => Math.floor(left / PHOTO_BYTES);

export function lowStorageText() {
  return `${photosLeftText()}. ${_("Send your work, or free up space on this phone.")}`;
}

function photosLeftText() {
  if (storage.left === null) return _("Little space left for photos");
  return plural("Space for about %(number)s photo", "Space for about %(number)s photos", photosFor(storage.left));
}

// "about 120 photos": beyond a thousand nobody counts.
/** @param {number} left bytes */
export function photoCountText(left) {
  if (photosFor(left) > MANY) return _("more than 1000 photos");
  return plural("about %(number)s photo", "about %(number)s photos", photosFor(left));
}

// "3.2 GB"
/** @param {number} bytes */
export function formatSize(bytes) {
  const megabytes = bytes / MEGABYTE;
  if (megabytes >= 1000) return fill(_("%(number)s GB"), { number: formatNumber(megabytes / 1000, 1) });
  return fill(_("%(number)s MB"), { number: megabytes >= 10 ? Math.round(megabytes) : formatNumber(megabytes, 1) });
}

// --- the reserve: space for thirty pictures, kept free by being occupied. Chromium reports to every page that
// ten gigabytes are left, whatever the phone has; so the reserve notices first: when it finds no space, or a tap
// needs its space, the engineer sees a warning, and the taps still have it ---

// Tried again when something was sent: there may be room now.
async function takeReserve() {
  try {
    isReserveReleased = true;
    if (!(await getValue(RESERVE))) await setValue(RESERVE, noise());
    isReserveReleased = false;
  } catch (problem) {
    if (!(problem instanceof StorageFull)) throw problem;
  }
  isReserveShort = isReserveReleased;
  updateLow();
}

// Noise, because browsers make zeros small.
function noise() {
  const bytes = new Uint8Array(RESERVE_BYTES);
  for (let at = 0; at < RESERVE_BYTES; at += CRYPTO_BYTES) crypto.getRandomValues(bytes.subarray(at, Math.min(RESERVE_BYTES, at + CRYPTO_BYTES)));
  return bytes.buffer;
}

async function releaseReserve() {
  if (isReserveReleased) return false;
  isReserveReleased = true;
  await write("values", ({ values: store }) => resultOf(store.delete(RESERVE)));
  isReserveShort = true;
  updateLow();
  return true;
}

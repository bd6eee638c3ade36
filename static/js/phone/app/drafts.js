// Drafts: text that is being typed, stored under its address with every keystroke and deleted once it is answered.

import { StorageFull, resultOf, getValue, read, write } from "./database.js";

const DRAFT = "draft ";
const PHOTO = "photo taken ";
const JOB = /^\/phone\/jobs\/([^/]+)\//;
/** @type {(address: string) => `draft ${string}`} */
const keyOf = (address) => `draft ${address}`;
/** @type {Map<string, Draft | null>} */
const drafts = new Map();
const events = new EventTarget();
// a full phone stores no draft; what is typed stays in the page, and the status line warns
export const draftStatus = { isLost: false };
/** @type {Promise<void> | null} */
let writing = null;
/** @type {Map<string, Draft | null>} */
let pending = new Map();

// Of this address, or null. What was typed a moment ago is known before it is on the disk.
/** @param {string} address @returns {Promise<Draft | null>} */
export async function getDraft(address) {
  if (!drafts.has(address)) drafts.set(address, (await getValue(keyOf(address))) ?? null);
  return /** @type {Draft | null} */ (drafts.get(address));
}

/** @param {string} address @param {Draft} fields */
export function saveDraft(address, fields) {
  const draft = { ...drafts.get(address), ...fields };
  drafts.set(address, draft);
  pending.set(address, draft);
  return writePending();
}

/** @param {string} address */
export function deleteDraft(address) {
  drafts.set(address, null);
  pending.set(address, null);
  return writePending();
}

// One transaction at a time: a fast thumb puts a draft off by one keystroke, never by a pause.
function writePending() {
  writing ??= writeAll().finally(() => {
    writing = null;
  });
  return writing;
}

async function writeAll() {
  while (pending.size) {
    const now = pending;
    pending = new Map();
    setLost(await writeDrafts([...now]));
  }
}

/** @param {[address: string, fields: Draft | null][]} drafts */
async function writeDrafts(drafts) {
  /** @param {ValueStore} store @param {[address: string, fields: Draft | null]} draft */
  const put = (store, [address, fields]) => /** @type {IDBRequest<unknown>} */ (fields ? store.put(fields, keyOf(address)) : store.delete(keyOf(address)));
  try {
    await write("values", ({ values: store }) => Promise.all(drafts.map((draft) => resultOf(put(store, draft)))));
    return true;
  } catch (problem) {
    if (problem instanceof StorageFull) return false;
    throw problem;
  }
}

/** @param {boolean} isKeptNow */
function setLost(isKeptNow) {
  const isChanged = draftStatus.isLost === isKeptNow;
  draftStatus.isLost = !isKeptNow;
  if (isChanged) events.dispatchEvent(new Event("change"));
}

/** @param {() => void} listener */
export function onDraftStatus(listener) {
  events.addEventListener("change", listener);
}

// Of a photo that is not used yet (camera/pending_photo.js): each has its own, so that no tab replaces another's. Without an id
// what the keys of all photos of this question begin with.
/** @param {string} job @param {string} question @param {string} [id] @returns {`photo taken ${string}`} */
export const photoKey = (job, question, id = "") => `photo taken /phone/jobs/${encodeURIComponent(job)}/question/${encodeURIComponent(question)}/${id}`;

// The page on which what has this key was begun, a draft or a photo; "" for every other key.
/** @param {string} key */
export function addressOfKey(key) {
  if (key.startsWith(PHOTO)) return key.slice(PHOTO.length, key.lastIndexOf("/") + 1);
  return key.startsWith(DRAFT) ? key.slice(DRAFT.length) : "";
}

// Whether the page at this address is one of these jobs'.
/** @param {string} address @param {{ id: string }[]} jobs */
export const isOfJob = (address, jobs) => jobs.some(({ id }) => JOB.exec(address)?.[1] === encodeURIComponent(id));

// What was begun for a job that is no longer on this phone is of no use. One that the server could not show is still
// here; one that it took off the list may come back, and stays as long as the server lists it: until tomorrow, or until its
// engineer signs in again.
/** @param {Pick<StoredDay, "jobs" | "broken" | "gone">} day */
export async function purgeDrafts({ jobs, broken = [], gone = [] }) {
  const here = [...jobs, ...broken, ...gone];
  const keys = await read("values", ({ values: store }) => resultOf(store.getAllKeys()));
  const expired = keys.filter((key) => JOB.test(addressOfKey(key)) && !isOfJob(addressOfKey(key), here));
  if (expired.length) await write("values", ({ values: store }) => Promise.all(expired.map((key) => resultOf(store.delete(key)))));
}

// Drafts: text that is being typed, stored under its address with every keystroke and deleted once it is answered.

import { StorageFull, resultOf, getValue, write } from "./database.js";

const DRAFT = "draft ";
const PHOTO = "photo taken ";
const JOB = /^\/phone\/jobs\/([^/]+)\//;
// what an engineer types; other members of a draft are marks of its page
const TYPED = ["value", "reason", "remarks", "fsan", "serial_number"];
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
  const { sent: _sent, ...before } = drafts.get(address) ?? {};
  const draft = { ...before, ...fields };
  drafts.set(address, draft);
  pending.set(address, draft);
  return writePending();
}

// Its text is in the queue, too. It stays in case that is refused, and is nothing unfinished until it is changed.
/** @param {string} address @param {Draft} fields */
export const saveSentDraft = (address, fields) => saveDraft(address, { ...fields, sent: "yes" });

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
/** @param {string} job @param {string} question @param {string} [id] @returns {PhotoKey} */
export const photoKey = (job, question, id = "") => `photo taken /phone/jobs/${encodeURIComponent(job)}/question/${encodeURIComponent(question)}/${id}`;
/** @param {string} key @returns {key is PhotoKey} */
export const isPhotoKey = (key) => key.startsWith(PHOTO);

// The page on which what has this key was begun, a draft or a photo; "" for every other key.
/** @param {string} key */
export function addressOfKey(key) {
  if (isPhotoKey(key)) return key.slice(PHOTO.length, key.lastIndexOf("/") + 1);
  return key.startsWith(DRAFT) ? key.slice(DRAFT.length) : "";
}

/** @param {string} key */
export const isOfJobPage = (key) => JOB.test(addressOfKey(key));

// Whether the page at this address is one of these jobs'.
/** @param {string} address @param {{ id: string }[]} jobs */
export const isOfJob = (address, jobs) => jobs.some(({ id }) => JOB.exec(address)?.[1] === encodeURIComponent(id));

/** @param {Draft} draft @returns {string[]} */
export const typedTexts = (draft) => TYPED.map((name) => draft[name]).filter(Boolean);

// Everything that was begun on this phone, in a transaction over this store: photos, and drafts with something in them. No
// photo is read for it.
/** @param {ValueStore} store @returns {Promise<BegunWork[]>} */
export async function listBegun(store) {
  const keys = (await resultOf(store.getAllKeys())).filter(isOfJobPage);
  const begun = await Promise.all(keys.map((key) => begunWork(store, key)));
  return begun.filter(({ isPhoto, draft }) => isPhoto || Object.values(draft).some(Boolean));
}

/** @param {ValueStore} store @param {ValueKey} key @returns {Promise<BegunWork>} */
async function begunWork(store, key) {
  const isPhoto = isPhotoKey(key);
  const draft = isPhoto ? {} : /** @type {Draft | undefined} */ (await resultOf(store.get(key)));
  return { key, address: addressOfKey(key), isPhoto, draft: draft ?? {} };
}

// Whether it is somebody's work that is nowhere else.
/** @param {BegunWork} work */
export const isWork = ({ isPhoto, draft }) => isPhoto || (!draft.sent && typedTexts(draft).length > 0);

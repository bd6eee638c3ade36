// Drafts: text that is being typed, stored under its address with every keystroke and deleted once it is answered.

import { StorageFull, resultOf, getValue, read, write } from "./database.js";

const JOBS = "/phone/jobs/";
const keyOf = (address) => `draft ${address}`;
const drafts = new Map();
const events = new EventTarget();
// a full phone keeps no draft; what is typed stays in the page, and the status line says so
export const draftStatus = { isLost: false };
let writing = null;
let pending = new Map();

// {field: text} of this address, or null. What was typed a moment ago is known before it is on the disk.
export async function getDraft(address) {
  if (!drafts.has(address)) drafts.set(address, (await getValue(keyOf(address))) ?? null);
  return drafts.get(address);
}

export function saveDraft(address, fields) {
  drafts.set(address, { ...drafts.get(address), ...fields });
  pending.set(address, drafts.get(address));
  return writePending();
}

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

async function writeDrafts(drafts) {
  const put = (store, [address, fields]) => (fields ? store.put(fields, keyOf(address)) : store.delete(keyOf(address)));
  try {
    await write("values", ({ values: store }) => Promise.all(drafts.map((draft) => resultOf(put(store, draft)))));
    return true;
  } catch (problem) {
    if (problem instanceof StorageFull) return false;
    throw problem;
  }
}

function setLost(isKeptNow) {
  const isNews = draftStatus.isLost === isKeptNow;
  draftStatus.isLost = !isKeptNow;
  if (isNews) events.dispatchEvent(new Event("change"));
}

export function onDraftStatus(listener) {
  events.addEventListener("change", listener);
}

// Half a word about a job that is on this phone no more helps nobody.
export async function purgeDrafts(jobs) {
  const here = new Set(jobs.map(({ id }) => `${keyOf(JOBS)}${encodeURIComponent(id)}/`));
  const all = IDBKeyRange.bound(keyOf(JOBS), keyOf(`${JOBS}\uffff`));
  const keys = await read("values", ({ values: store }) => resultOf(store.getAllKeys(all)));
  const gone = keys.filter((key) => !here.has(/^draft \/phone\/jobs\/[^/]+\//.exec(key)?.[0]));
  if (gone.length) await write("values", ({ values: store }) => Promise.all(gone.map((key) => resultOf(store.delete(key)))));
}

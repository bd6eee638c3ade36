// What is half typed: kept on this phone under its address with every keystroke, and gone once it is answered.

import { Full, asked, kept, read, write } from "./database.js";

const JOBS = "/phone/jobs/";
const NAME = (address) => `draft ${address}`;
const known = new Map();
const news = new EventTarget();
// a full phone keeps no draft; what is typed stays in the page, and the status line says so
export const standing = { isLost: false };
let writing = null;
let waiting = new Map();

// {field: text} of this address, or null. What was typed a moment ago is known before it is on the disk.
export async function draftAt(address) {
  if (!known.has(address)) known.set(address, (await kept(NAME(address))) ?? null);
  return known.get(address);
}

export function keepDraft(address, fields) {
  known.set(address, { ...known.get(address), ...fields });
  waiting.set(address, known.get(address));
  return written();
}

export function dropDraft(address) {
  known.set(address, null);
  waiting.set(address, null);
  return written();
}

// One transaction at a time: a fast thumb puts a draft off by one keystroke, never by a pause.
function written() {
  writing ??= writeAll().finally(() => {
    writing = null;
  });
  return writing;
}

async function writeAll() {
  while (waiting.size) {
    const now = waiting;
    waiting = new Map();
    tell(await isKept([...now]));
  }
}

async function isKept(drafts) {
  const put = (store, [address, fields]) => (fields ? store.put(fields, NAME(address)) : store.delete(NAME(address)));
  try {
    await write("kept", ({ kept: store }) => Promise.all(drafts.map((draft) => asked(put(store, draft)))));
    return true;
  } catch (problem) {
    if (problem instanceof Full) return false;
    throw problem;
  }
}

function tell(isKeptNow) {
  const isNews = standing.isLost === isKeptNow;
  standing.isLost = !isKeptNow;
  if (isNews) news.dispatchEvent(new Event("change"));
}

export function onDrafts(listener) {
  news.addEventListener("change", listener);
}

// Half a word about a job that is on this phone no more helps nobody.
export async function tidy(jobs) {
  const here = new Set(jobs.map(({ id }) => `${NAME(JOBS)}${encodeURIComponent(id)}/`));
  const all = IDBKeyRange.bound(NAME(JOBS), NAME(`${JOBS}\uffff`));
  const keys = await read("kept", ({ kept: store }) => asked(store.getAllKeys(all)));
  const gone = keys.filter((key) => !here.has(/^draft \/phone\/jobs\/[^/]+\//.exec(key)?.[0]));
  if (gone.length) await write("kept", ({ kept: store }) => Promise.all(gone.map((key) => asked(store.delete(key)))));
}

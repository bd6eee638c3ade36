// What of other people this phone carries: jobs with names, addresses and telephone numbers. It is not shown when the
// session ended, and not kept longer than a shift after that; what was not sent stays until its engineer signs in.

import { asked, keep, kept, read, write } from "./database.js";

const LOCKED_AT = "locked_at";
const KEPT_LOCKED_MS = 12 * 60 * 60_000;
const STORES = ["queue", "photos", "kept"];
const DRAFT = "draft ";
const PHOTO = "photo taken";

// Epoch milliseconds since when nobody is signed in, or 0.
export async function lockedAt() {
  return (await kept(LOCKED_AT)) ?? 0;
}

export async function lock(now = Date.now()) {
  if (!(await lockedAt())) await keep(LOCKED_AT, now);
}

export async function unlock() {
  if (await lockedAt()) await keep(LOCKED_AT, 0);
}

// After the time for which a locked phone keeps its jobs.
export async function removeExpired(now = Date.now()) {
  const since = await lockedAt();
  if (since && now - since > KEPT_LOCKED_MS) await write(STORES, removeCarried);
}

// {engineer, name, export_key} of whoever worked here, whose jobs may be removed by now.
export async function ownerOf(engineer, day) {
  const { name, export_key } = day ?? { name: await kept("name"), export_key: await kept("export_key") };
  return { engineer, name: name ?? engineer, export_key: export_key ?? "" };
}

// Somebody leaves this phone, whose store is open: their jobs go. Whether nothing else is here either.
export function removeOwn() {
  return write(STORES, removeJobs);
}

// In a transaction over these stores; the answer as of removeOwn.
export async function removeJobs(stores) {
  const { entries, begun } = await unsent(stores);
  await removeCarried(stores);
  return !entries && !begun.length;
}

// In a transaction over these stores: the jobs, and what the server has already. The name stays for who asks whose
// the rest is, and the key with which the file of it is signed.
async function removeCarried({ queue, photos, kept: store }) {
  const day = await asked(store.get("day"));
  if (day) {
    store.put(day.name, "name");
    store.put(day.export_key ?? "", "export_key");
  }
  store.delete("day");
  store.delete("clock_words");
  for (const row of await asked(queue.getAll())) {
    if (row.state !== "safe") continue;
    queue.delete(row.at);
    if (row.photo) photos.delete(row.photo);
  }
}

// What of this page's engineer is here and nowhere else: how many entries, cards too, and the pages of what was begun.
export function unsentHere() {
  return read(["queue", "kept"], unsent);
}

async function unsent({ queue, kept: store }) {
  const rows = await asked(queue.getAll());
  const keys = (await asked(store.getAllKeys())).filter((key) => key.startsWith(DRAFT) || key === PHOTO);
  const values = await Promise.all(keys.map((key) => asked(store.get(key))));
  const begun = keys.map((key, at) => begunAt(key, values[at])).filter(Boolean);
  return { entries: rows.filter(({ state }) => state !== "safe").length, begun };
}

// The address of half-typed words, or of a photo that is not used yet; none when nothing is left of them.
function begunAt(key, value) {
  if (key !== PHOTO) return value && Object.values(value).some(Boolean) ? key.slice(DRAFT.length) : "";
  return value ? `/phone/jobs/${encodeURIComponent(value.job)}/question/${encodeURIComponent(value.question)}/` : "";
}

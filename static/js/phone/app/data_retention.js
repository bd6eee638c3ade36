// How long this phone keeps personal data: jobs with names, addresses and telephone numbers. They are hidden when the
// session has ended and purged a shift later; unsent entries stay until their engineer signs in.

import { resultOf, setValue, getValue, read, write } from "./database.js";
import { addressOfKey, isOfJob } from "./drafts.js";
import { SYNCED } from "./queue_states.js";
import { isOpen } from "./workflow.js";

const LOCKED_AT = "locked_at";
const LOCKED_RETENTION_MS = 12 * 60 * 60_000;
/** @type {(keyof Stores)[]} */
const STORES = ["queue", "photos", "values"];

// Epoch milliseconds since when nobody is signed in, or 0.
export async function lockedAt() {
  return (await getValue(LOCKED_AT)) ?? 0;
}

/** @param {number} [now] milliseconds of this phone's clock */
export async function lock(now = Date.now()) {
  if (!(await lockedAt())) await setValue(LOCKED_AT, now);
}

export async function unlock() {
  if (await lockedAt()) await setValue(LOCKED_AT, 0);
}

// After the time for which a locked phone keeps its jobs.
/** @param {number} [now] milliseconds of this phone's clock */
export async function purgeExpired(now = Date.now()) {
  const since = await lockedAt();
  if (since && now - since > LOCKED_RETENTION_MS) await write(STORES, purgeSynced);
}

// Whoever worked here, whose jobs may be removed by now.
/** @param {string} engineer @param {StoredDay | undefined} day @returns {Promise<PhoneOwner>} */
export async function lockOwner(engineer, day) {
  const { name, export_key } = day ?? { name: await getValue("name"), export_key: await getValue("export_key") };
  return { engineer, name: name ?? engineer, export_key: export_key ?? "" };
}

// Somebody leaves this phone, whose store is open: their jobs go. Whether nothing else is here either.
export function purgeOwn() {
  return write(STORES, purgeJobs);
}

// In a transaction over these stores; the answer as of purgeOwn.
/** @param {Stores} stores */
export async function purgeJobs(stores) {
  const { entries, begun } = await unsentIn(stores);
  await purgeSynced(stores);
  return !entries && !begun.length;
}

// In a transaction over these stores: the jobs, what was begun for those that have ended, and what the server has
// already. The name stays for who asks whose
// the rest is, and the key with which the file of it is signed.
/** @param {Stores} stores */
async function purgeSynced({ queue, photos, values: store }) {
  const day = await resultOf(store.get("day"));
  if (day) {
    store.put(day.name, "name");
    store.put(day.export_key ?? "", "export_key");
    for (const { key, address } of await listBegun(store)) if (!isForOpenJob(address, day)) store.delete(key);
  }
  store.delete("day");
  store.delete("clock_words");
  for (const row of await resultOf(queue.getAll())) {
    if (row.state !== SYNCED) continue;
    queue.delete(row.at);
    if (row.photo) photos.delete(row.photo);
  }
}

// What of this page's engineer is here and nowhere else: how many entries, cards too, and the pages of what was begun.
/** @returns {Promise<Unsent>} */
export function listUnsent() {
  return read(["queue", "values"], unsentIn);
}

/** @param {Pick<Stores, "queue" | "values">} stores @returns {Promise<Unsent>} */
async function unsentIn({ queue, values: store }) {
  const rows = await resultOf(queue.getAll());
  const day = await resultOf(store.get("day"));
  const begun = (await listBegun(store)).map(({ address }) => address).filter((address) => address && isForOpenJob(address, day));
  return { entries: rows.filter(({ state }) => state !== SYNCED).length, begun };
}

/** @param {ValueStore} store */
async function listBegun(store) {
  const keys = (await resultOf(store.getAllKeys())).filter(addressOfKey);
  const values = await Promise.all(keys.map((key) => resultOf(store.get(key))));
  return keys.map((key, at) => ({ key, address: begunAddress(key, values[at]) }));
}

// As the server's last day has it: what was typed for a closing is of no use once that has arrived. Without a day nobody
// knows, the server may have failed to show one of its jobs, and what it took off the list may come back: all count as
// open.
/** @param {string} address @param {StoredDay | undefined} day */
function isForOpenJob(address, day) {
  if (!day) return true;
  return isOfJob(address, [...day.jobs.filter(isOpen), ...(day.broken ?? []), ...(day.gone ?? [])]);
}

// "" when nothing is in it.
/** @param {ValueKey} key @param {StoredValues[ValueKey] | undefined} value */
const begunAddress = (key, value) => (value && Object.values(value).some(Boolean) ? addressOfKey(key) : "");

// How long this phone keeps personal data: jobs with names, addresses and telephone numbers. They are hidden when the
// session has ended and purged a shift later; unsent entries and begun work stay until their engineer signs in.

import { resultOf, setValue, getValue, read, write } from "./database.js";
import { isOfJob, isOfJobPage, isWork, listBegun } from "./drafts.js";
import { SYNCED } from "./queue_states.js";
import { isOpen, isSecond } from "./workflow.js";

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

// In a transaction over these stores: the jobs, and what the server has already. The name stays for who asks whose the
// rest is, and the key with which the file of it is signed.
/** @param {Stores} stores */
async function purgeSynced({ queue, photos, values: store }) {
  const day = await resultOf(store.get("day"));
  if (day) {
    store.put(day.name, "name");
    store.put(day.export_key ?? "", "export_key");
    await purgeBegun(store, (work) => isOfUse(work, day));
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
  const begun = (await listUnsentWork(store, day)).map(({ address }) => address);
  return { entries: rows.filter(({ state }) => state !== SYNCED).length, begun };
}

// What was begun, is of use still and is in no entry.
/** @param {ValueStore} store @param {Pick<StoredDay, "jobs"> | undefined} day @returns {Promise<BegunWork[]>} */
export async function listUnsentWork(store, day) {
  return (await listBegun(store)).filter((work) => !work.draft.sent && (!day || isOfUse(work, day)));
}

// When a day has come: drafts of jobs that this engineer has closed go, and with jobs that left the phone what holds no work.
// The rest stays until it is sent or deleted (unfinished_work.js), whatever became of the job.
/** @param {Pick<StoredDay, "jobs" | "broken" | "gone">} day */
export async function purgeDrafts(day) {
  const { jobs, broken = [], gone = [] } = day;
  // the office may send a closure that it reviews back
  const here = [...jobs.filter((job) => job.in_review || !isClosedOnSite(job)), ...broken, ...gone];
  /** @param {BegunWork} work */
  const stays = (work) => isOfUse(work, day) || isOfJob(work.address, here);
  // most days nothing goes, and a full phone is not written to for that
  const expired = await read("values", ({ values }) => expiredKeys(values, stays));
  if (expired.length) await write("values", ({ values }) => purgeBegun(values, stays));
}

/** @param {ValueStore} store @param {(work: BegunWork) => boolean} stays */
async function purgeBegun(store, stays) {
  for (const key of await expiredKeys(store, stays)) store.delete(key);
}

/** @param {ValueStore} store @param {(work: BegunWork) => boolean} stays */
async function expiredKeys(store, stays) {
  const remaining = new Set((await listBegun(store)).filter(stays).map(({ key }) => key));
  return (await resultOf(store.getAllKeys())).filter((key) => isOfJobPage(key) && !remaining.has(key));
}

// What was typed is of no use once its engineer has closed the job. A photo is, and so is all work for a job that was
// cancelled or reassigned, or that has left the list.
/** @param {BegunWork} work @param {Pick<StoredDay, "jobs">} day */
function isOfUse(work, { jobs }) {
  if (isOfJob(work.address, jobs.filter(hasPages))) return true;
  return work.isPhoto || (isWork(work) && !isOfJob(work.address, jobs.filter(isClosedOnSite)));
}

// Whether what was begun for it can be finished: whoever accompanies answers nothing.
/** @param {Pick<ServerJob, "state" | "team">} job */
export const hasPages = (job) => isOpen(job) && !isSecond(job);

/** @param {Pick<ServerJob, "state" | "notices" | "team">} job */
const isClosedOnSite = (job) => job.state === "closed" && !isSecond(job) && !job.notices?.some(({ rule }) => rule === "closed_by_office");

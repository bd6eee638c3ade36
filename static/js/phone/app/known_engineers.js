// Engineers who used this phone before and left unsent entries. Each engineer's queue is a database of its own; for
// browsers that do not list their databases (older Firefox) we keep a list.

import { purgeJobs } from "./data_retention.js";
import { deleteDatabase, resultOf } from "./database.js";
import { SYNCED } from "./queue_states.js";

const LIST = "phone.people";
const PREFIX = "phone-";

/** @returns {string[]} */
function storedList() {
  try {
    return JSON.parse(localStorage.getItem(LIST) ?? "[]");
  } catch {
    return [];
  }
}

/** @param {string} engineer */
export function rememberEngineer(engineer) {
  if (!storedList().includes(engineer)) localStorage.setItem(LIST, JSON.stringify([...storedList(), engineer]));
}

/** @param {string} engineer */
export function forgetEngineer(engineer) {
  localStorage.setItem(LIST, JSON.stringify(storedList().filter((stored) => stored !== engineer)));
}

// [{engineer, name, entries}] of everybody but this one with something that the office does not have.
/** @param {string} engineer */
export async function listOthersWithUnsent(engineer) {
  const found = [];
  for (const other of await listEngineers()) {
    if (other === engineer) continue;
    const left = await unsentOf(other);
    if (left?.entries) found.push({ engineer: other, ...left });
  }
  return found;
}

async function listEngineers() {
  const names = (await indexedDB.databases?.()) ?? [];
  const ours = names.map(({ name = "" }) => name).filter((name) => name.startsWith(PREFIX));
  return [...new Set([...storedList(), ...ours.map((name) => name.slice(PREFIX.length))])];
}

/** @param {string} engineer */
async function unsentOf(engineer) {
  const database = await openExisting(PREFIX + engineer);
  if (!database) return null;
  try {
    const stores = database.transaction(["queue", "values"]);
    /** @type {QueueRow[]} */
    const rows = await resultOf(stores.objectStore("queue").getAll());
    const store = /** @type {ValueStore} */ (stores.objectStore("values"));
    const [day, name] = await Promise.all([resultOf(store.get("day")), resultOf(store.get("name"))]);
    return { name: day?.name ?? name ?? engineer, entries: rows.filter(({ state }) => state !== SYNCED).length };
  } finally {
    database.close();
  }
}

// Somebody else works on this phone now: the others' jobs are removed, and with them whoever left nothing unsent.
/** @param {string} engineer */
export async function purgeOthers(engineer) {
  for (const other of await listEngineers()) {
    if (other === engineer) continue;
    const isEmpty = await purgeJobsOf(other);
    if (!isEmpty) continue;
    await deleteDatabase(PREFIX + other);
    forgetEngineer(other);
  }
}

/** @param {string} other */
async function purgeJobsOf(other) {
  const database = await openExisting(PREFIX + other);
  if (!database) return false;
  try {
    const transaction = database.transaction(["queue", "photos", "values"], "readwrite");
    const stores = /** @type {Stores} */ (/** @type {unknown} */ (Object.fromEntries(["queue", "photos", "values"].map((name) => [name, transaction.objectStore(name)]))));
    return await purgeJobs(stores);
  } finally {
    database.close();
  }
}

// Looking must not make what is not there; one of before version 2 (database.js) is deleted.
/** @param {string} name @returns {Promise<IDBDatabase | null>} */
function openExisting(name) {
  return new Promise((resolve) => {
    const request = indexedDB.open(name);
    request.onupgradeneeded = () => request.transaction?.abort();
    request.onsuccess = () => {
      const database = request.result;
      if (database.objectStoreNames.contains("values")) return resolve(database);
      database.close();
      indexedDB.deleteDatabase(name);
      return resolve(null);
    };
    request.onerror = () => resolve(null);
    request.onblocked = () => resolve(null);
  });
}

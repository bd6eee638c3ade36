// Who else worked on this phone and left something unsent behind. Each engineer's queue has a database of its own;
// browsers that do not list their databases (older Firefox) are helped by a list of our own.

import { removeJobs } from "./data_retention.js";
import { asked } from "./database.js";

const LIST = "phone.people";
const PREFIX = "phone-";

function listed() {
  try {
    return JSON.parse(localStorage.getItem(LIST)) ?? [];
  } catch {
    return [];
  }
}

export function remember(engineer) {
  if (!listed().includes(engineer)) localStorage.setItem(LIST, JSON.stringify([...listed(), engineer]));
}

export function unremember(engineer) {
  localStorage.setItem(LIST, JSON.stringify(listed().filter((one) => one !== engineer)));
}

// [{engineer, name, entries}] of everybody but this one with something that the office does not have.
export async function othersThan(engineer) {
  const found = [];
  for (const other of await known()) {
    if (other === engineer) continue;
    const left = await leftBy(other);
    if (left?.entries) found.push({ engineer: other, ...left });
  }
  return found;
}

async function known() {
  const names = (await indexedDB.databases?.()) ?? [];
  const ours = names.map(({ name }) => name).filter((name) => name?.startsWith(PREFIX));
  return [...new Set([...listed(), ...ours.map((name) => name.slice(PREFIX.length))])];
}

async function leftBy(engineer) {
  const database = await openExisting(PREFIX + engineer);
  if (!database) return null;
  try {
    const stores = database.transaction(["queue", "kept"]);
    const rows = await asked(stores.objectStore("queue").getAll());
    const store = stores.objectStore("kept");
    const [day, name] = await Promise.all([asked(store.get("day")), asked(store.get("name"))]);
    return { name: day?.name ?? name ?? engineer, entries: rows.filter(({ state }) => state !== "safe").length };
  } finally {
    database.close();
  }
}

// Somebody else works on this phone now: the others' jobs are removed, and with them whoever left nothing unsent.
export async function removeOthers(engineer) {
  for (const other of await known()) {
    if (other === engineer) continue;
    const isEmpty = await removeJobsOf(other);
    if (!isEmpty) continue;
    await asked(indexedDB.deleteDatabase(PREFIX + other));
    unremember(other);
  }
}

async function removeJobsOf(other) {
  const database = await openExisting(PREFIX + other);
  if (!database) return false;
  try {
    const transaction = database.transaction(["queue", "photos", "kept"], "readwrite");
    const stores = Object.fromEntries(["queue", "photos", "kept"].map((name) => [name, transaction.objectStore(name)]));
    return await removeJobs(stores);
  } finally {
    database.close();
  }
}

// Looking must not make what is not there.
function openExisting(name) {
  return new Promise((resolve) => {
    const request = indexedDB.open(name);
    request.onupgradeneeded = () => request.transaction.abort();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(null);
    request.onblocked = () => resolve(null);
  });
}

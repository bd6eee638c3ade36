// Who else worked on this phone and left something unsent behind. Each engineer's queue has a database of its own;
// browsers that do not list their databases (older Firefox) are helped by a list of our own.

import { asked } from "./store.js";

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
    const day = await asked(stores.objectStore("kept").get("day"));
    return { name: day?.name ?? engineer, entries: rows.filter(({ state }) => state !== "safe").length };
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

// This phone's data in IndexedDB: one database for each engineer. A promise of this module resolves when everything is on
// the disk (strict durability). iOS may close the database under memory pressure, so it is reopened once.
//
//   queue   entries in the order of the taps, {at: 1, 2, …, entry, state, …}, documented in frontend/types/queue.d.ts
//   photos  photos by their id, {id, bytes: ArrayBuffer, …}; never Blobs, which Safari loses
//   values  single values by name: the day as the server sent it, settings, drafts, the CSRF token

import { pageResumed, trackTransaction } from "./bfcache.js";

// 1 had other names for stores and states; it was never released, so what it kept is dropped
const VERSION = 2;
/** @type {Set<string | undefined>} */
const CLOSED = new Set(["InvalidStateError", "UnknownError", "AbortError"]);

export class StorageFull extends Error {
  name = "Full";
}

/** @type {IDBDatabase | null} */
let database = null;
/** @type {Promise<IDBDatabase> | null} */
let opening = null;
let name = "";
let isClosed = false;
let freeSpace = async () => false;

/** @param {string} engineer */
export async function openDatabaseOf(engineer) {
  const wanted = `phone-${engineer}`;
  if (wanted !== name) close();
  name = wanted;
  await getDatabase();
}

// Somebody signs out: whatever this page was still about to keep or to read waits until the page is gone.
export function closeForGood() {
  close();
  isClosed = true;
}

/** @param {string} engineer */
export function deleteDatabaseOf(engineer) {
  closeForGood();
  return deleteDatabase(`phone-${engineer}`);
}

// Another tab that sleeps holds it until it wakes, and the browser deletes it then: nobody waits for that.
/** @param {string} name @returns {Promise<void>} */
export function deleteDatabase(name) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = request.onblocked = () => resolve();
    request.onerror = () => reject(request.error);
  });
}

function close() {
  database?.close();
  database = opening = null;
}

// One opening for all who ask at the same time; it counts only while it is still that engineer's.
/** @returns {Promise<IDBDatabase>} */
async function getDatabase() {
  if (isClosed) return new Promise(() => {});
  if (database) return database;
  const mine = (opening ??= open(name));
  try {
    const found = await mine;
    if (opening === mine) database = found;
    else if (database !== found) found.close();
    return database ?? getDatabase();
  } finally {
    if (opening === mine) opening = null;
  }
}

/** @param {string} wanted @returns {Promise<IDBDatabase>} */
function open(wanted) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(wanted, VERSION);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion) for (const old of Array.from(request.result.objectStoreNames)) request.result.deleteObjectStore(old);
      request.result.createObjectStore("queue", { keyPath: "at", autoIncrement: true });
      request.result.createObjectStore("photos", { keyPath: "id" });
      request.result.createObjectStore("values");
    };
    request.onsuccess = () => {
      const found = request.result;
      const lost = () => {
        if (database === found) database = null;
      };
      found.onclose = lost;
      found.onversionchange = () => {
        found.close();
        lost();
      };
      resolve(found);
    };
    request.onerror = () => reject(request.error);
  });
}

// `work(stores)` makes requests and may return a promise of this transaction's own requests.
// Kept when the transaction is on the disk. Raises StorageFull when the phone has no room.
/** @template {keyof Stores} Name @template Result @param {Name | Name[]} names @param {StoreWork<Name, Result>} work @returns {Promise<Result>} */
export async function write(names, work) {
  try {
    return await retryOnce(names, "readwrite", work);
  } catch (problem) {
    if (!(problem instanceof StorageFull) || !(await freeSpace())) throw problem;
    return retryOnce(names, "readwrite", work);
  }
}

// Gives up something for a write that found no room; false when there is nothing to give (storage_quota.js).
/** @param {() => Promise<boolean>} giveUp */
export function onFull(giveUp) {
  freeSpace = giveUp;
}

/** @template {keyof Stores} Name @template Result @param {Name | Name[]} names @param {StoreWork<Name, Result>} work @returns {Promise<Result>} */
export async function read(names, work) {
  return retryOnce(names, "readonly", work);
}

/** @template {keyof Stores} Name @template Result @param {Name | Name[]} names @param {IDBTransactionMode} mode @param {StoreWork<Name, Result>} work @returns {Promise<Result>} */
async function retryOnce(names, mode, work) {
  try {
    return await mapQuotaError(() => runTransaction(names, mode, work));
  } catch (problem) {
    if (!CLOSED.has(/** @type {Error | undefined} */ (problem)?.name)) throw problem;
    close();
    return mapQuotaError(() => runTransaction(names, mode, work));
  }
}

/** @template Result @param {() => Promise<Result>} act */
async function mapQuotaError(act) {
  try {
    return await act();
  } catch (problem) {
    throw /** @type {Error | undefined} */ (problem)?.name === "QuotaExceededError" ? new StorageFull("no room", { cause: problem }) : problem;
  }
}

/** @template {keyof Stores} Name @template Result @param {Name | Name[]} names @param {IDBTransactionMode} mode @param {StoreWork<Name, Result>} work @returns {Promise<Result>} */
async function runTransaction(names, mode, work) {
  const found = await getDatabase();
  await pageResumed();
  const transaction = trackTransaction(found.transaction(names, mode, { durability: "strict" }));
  const stores = /** @type {Pick<Stores, Name>} */ (/** @type {unknown} */ (Object.fromEntries([names].flat().map((name) => [name, transaction.objectStore(name)]))));
  return new Promise((resolve, reject) => {
    /** @type {Result} */
    let result;
    /** @type {unknown} */
    let thrown = null;
    transaction.oncomplete = () => resolve(result);
    // a request that fails takes the others with it; the transaction's own error says why (no room, for one)
    transaction.onabort = () => reject(transaction.error ?? thrown ?? new DOMException("aborted", "AbortError"));
    new Promise((done) => done(work(stores))).then(
      (value) => {
        result = value;
      },
      (problem) => {
        thrown = problem;
        abort(transaction, () => reject(problem));
      },
    );
  });
}

// One that is over already cannot be aborted: its own end has reported it, or `late` does.
/** @param {IDBTransaction} transaction @param {() => void} late */
function abort(transaction, late) {
  try {
    transaction.abort();
  } catch {
    setTimeout(late);
  }
}

/** @template Result @param {IDBRequest<Result>} request @returns {Promise<Result>} */
export function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @template {ValueKey} Key @param {Key} key @param {StoredValues[Key]} value */
export function setValue(key, value) {
  return write("values", ({ values }) => resultOf(values.put(value, key)));
}

/** @template {ValueKey} Key @param {Key} key @returns {Promise<StoredValues[Key] | undefined>} */
export function getValue(key) {
  return read("values", ({ values }) => resultOf(values.get(key)));
}

// What this phone knows, in IndexedDB: one database for each engineer. Everything is on the disk before a promise of
// this module is kept (strict durability); iOS may close the database under memory pressure, so it is opened anew once.
//
//   queue   entries in the order of the taps, {at: 1, 2, …, entry, state, …} (queue.js says what they hold)
//   photos  pictures by their id, {id, bytes: ArrayBuffer, …}; never Blobs, which Safari loses
//   kept    single values by name: the day as the server told it, settings, the last sign of the server

import { awake, begun } from "./bfcache.js";

const VERSION = 1;
const CLOSED = new Set(["InvalidStateError", "UnknownError", "AbortError"]);

export class Full extends Error {
  name = "Full";
}

let database = null;
let opening = null;
let name = "";
let hasLeft = false;
let makeRoom = async () => false;

export async function useDatabaseOf(engineer) {
  const wanted = `phone-${engineer}`;
  if (wanted !== name) close();
  name = wanted;
  await opened();
}

// Somebody signs out: whatever this page was still about to keep or to read waits until the page is gone.
export function leave() {
  close();
  hasLeft = true;
}

export function forget(engineer) {
  leave();
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(`phone-${engineer}`);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
  });
}

function close() {
  database?.close();
  database = opening = null;
}

// One opening for all who ask meanwhile; it counts only while it is still that engineer's.
async function opened() {
  if (hasLeft) return new Promise(() => {});
  if (database) return database;
  const mine = (opening ??= open(name));
  try {
    const found = await mine;
    if (opening === mine) database = found;
    else if (database !== found) found.close();
    return database ?? opened();
  } finally {
    if (opening === mine) opening = null;
  }
}

function open(wanted) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(wanted, VERSION);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("queue", { keyPath: "at", autoIncrement: true });
      request.result.createObjectStore("photos", { keyPath: "id" });
      request.result.createObjectStore("kept");
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
// Kept when the transaction is on the disk. Raises Full when the phone has no room.
export async function write(names, work) {
  try {
    return await again(names, "readwrite", work);
  } catch (problem) {
    if (!(problem instanceof Full) || !(await makeRoom())) throw problem;
    return again(names, "readwrite", work);
  }
}

// Gives up something for a write that found no room; false when there is nothing to give (storage_quota.js).
export function onFull(giveUp) {
  makeRoom = giveUp;
}

export async function read(names, work) {
  return again(names, "readonly", work);
}

async function again(names, mode, work) {
  try {
    return await full(() => once(names, mode, work));
  } catch (problem) {
    if (!CLOSED.has(problem?.name)) throw problem;
    close();
    return full(() => once(names, mode, work));
  }
}

async function full(act) {
  try {
    return await act();
  } catch (problem) {
    throw problem?.name === "QuotaExceededError" ? new Full("no room", { cause: problem }) : problem;
  }
}

async function once(names, mode, work) {
  const found = await opened();
  await awake();
  const transaction = begun(found.transaction(names, mode, { durability: "strict" }));
  const stores = Object.fromEntries([names].flat().map((one) => [one, transaction.objectStore(one)]));
  return new Promise((resolve, reject) => {
    let result;
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

// One that is over already cannot be aborted: its own end has told, or `late` does.
function abort(transaction, late) {
  try {
    transaction.abort();
  } catch {
    setTimeout(late);
  }
}

export function asked(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

export function keep(key, value) {
  return write("kept", ({ kept }) => asked(kept.put(value, key)));
}

export function kept(key) {
  return read("kept", ({ kept }) => asked(kept.get(key)));
}

// Who works on this phone. Browsers write localStorage to the disk seconds late, and a phone that dies in between would
// not know whose queue it holds. So it is kept in IndexedDB; localStorage only mirrors it for synchronous readers.

import { pageResumed, trackTransaction } from "./bfcache.js";
import { resultOf } from "./database.js";

const MIRROR = "phone.engineer";
const DATABASE = "current-engineer";

// As the day names them, or "" when nobody works on it.
/** @returns {Promise<string>} */
export async function getEngineer() {
  const found = await inTransaction("readonly", (store) => store.get("engineer"));
  return mirror(found ?? localStorage.getItem(MIRROR) ?? "");
}

// "" for nobody.
/** @param {string} engineer */
export async function setEngineer(engineer) {
  await inTransaction("readwrite", (store) => store.put(engineer, "engineer"));
  mirror(engineer);
}

/** @param {string} engineer */
function mirror(engineer) {
  if (engineer) localStorage.setItem(MIRROR, engineer);
  else localStorage.removeItem(MIRROR);
  return engineer;
}

/** @template Result @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest<Result>} work @returns {Promise<Result>} */
async function inTransaction(mode, work) {
  const database = await open();
  try {
    await pageResumed();
    const transaction = trackTransaction(database.transaction("values", mode, { durability: "strict" }));
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const found = await resultOf(work(transaction.objectStore("values")));
    await done;
    return found;
  } finally {
    database.close();
  }
}

/** @returns {Promise<IDBDatabase>} */
function open() {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore("values");
  return resultOf(request);
}

// Who works on this phone. Browsers write localStorage down seconds late: a phone that dies in between would not know
// whose its queue is. So it is kept like the queue; localStorage only mirrors it for what has to know at once.

import { awake, begun } from "./bfcache.js";
import { asked } from "./database.js";

const MIRROR = "phone.engineer";
const DATABASE = "whose-phone";

// The staff number, or "" when nobody works on it.
export async function whose() {
  const found = await within("readonly", (store) => store.get("engineer"));
  return mirror(found ?? localStorage.getItem(MIRROR) ?? "");
}

// "" for nobody.
export async function belongsTo(engineer) {
  await within("readwrite", (store) => store.put(engineer, "engineer"));
  mirror(engineer);
}

function mirror(engineer) {
  if (engineer) localStorage.setItem(MIRROR, engineer);
  else localStorage.removeItem(MIRROR);
  return engineer;
}

async function within(mode, work) {
  const database = await open();
  try {
    await awake();
    const transaction = begun(database.transaction("kept", mode, { durability: "strict" }));
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const found = await asked(work(transaction.objectStore("kept")));
    await done;
    return found;
  } finally {
    database.close();
  }
}

function open() {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore("kept");
  return asked(request);
}

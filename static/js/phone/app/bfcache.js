// iOS keeps a page that was left in its back/forward cache, frozen with its transactions, which would block every later
// page of this phone. Transactions that are not on the disk by then are aborted, and run again if the page comes back.

/** @type {Set<IDBTransaction>} */
const running = new Set();
/** @type {Promise<unknown> | null} */
let resumed = null;

globalThis.addEventListener?.("pagehide", ({ persisted }) => persisted && abortRunning());

function abortRunning() {
  resumed = new Promise((resolve) => addEventListener("pageshow", resolve, { once: true }));
  running.forEach(abort);
}

/** @param {IDBTransaction} transaction */
function abort(transaction) {
  try {
    transaction.abort();
  } catch {
    running.delete(transaction);
  }
}

// A transaction of this page; it is made at once when `awake` has let it.
/** @param {IDBTransaction} transaction */
export function trackTransaction(transaction) {
  const over = () => running.delete(transaction);
  transaction.addEventListener("complete", over);
  transaction.addEventListener("abort", over);
  running.add(transaction);
  return transaction;
}

export async function pageResumed() {
  await resumed;
}

// iOS puts a page that is left aside for the Back button, frozen with its transactions, and those would hold up every
// later page of this phone for good. What is not on the disk by then is given up, and done anew if the page comes back.

const running = new Set();
let resumed = null;

globalThis.addEventListener?.("pagehide", ({ persisted }) => persisted && abortRunning());

function abortRunning() {
  resumed = new Promise((resolve) => addEventListener("pageshow", resolve, { once: true }));
  running.forEach(abort);
}

function abort(transaction) {
  try {
    transaction.abort();
  } catch {
    running.delete(transaction);
  }
}

// A transaction of this page; it is made at once when `awake` has let it.
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

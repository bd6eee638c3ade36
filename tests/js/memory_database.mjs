// What of IndexedDB database.js uses, in memory: one transaction after the other, over when no request of it waits.
// To be imported before the module that is tested.

const databases = new Map();
let last = Promise.resolve();

// a channel keeps node running, and there is no other tab
delete globalThis.BroadcastChannel;

globalThis.indexedDB = {
  open(name) {
    const request = {};
    setImmediate(() => {
      const isNew = !databases.has(name);
      if (isNew) databases.set(name, new Map());
      request.result = databaseOf(databases.get(name));
      if (isNew) request.onupgradeneeded({ oldVersion: 0 });
      request.onsuccess();
    });
    return request;
  },
};

function databaseOf(stores) {
  return {
    createObjectStore: (name, options = {}) => stores.set(name, { rows: new Map(), next: 1, ...options }),
    transaction: (_names, _mode) => transactionOf(stores),
    close() {},
  };
}

function transactionOf(stores) {
  const transaction = new EventTarget();
  const waiting = [];
  transaction.objectStore = (name) => storeOf(stores.get(name), waiting);
  const before = last;
  last = new Promise((over) => {
    transaction.addEventListener("complete", over);
  });
  before.then(() => run(transaction, waiting));
  return transaction;
}

// Whoever waits for a request may make the next one before the transaction is over.
async function run(transaction, waiting) {
  await turn();
  while (waiting.length) {
    waiting.shift()();
    await turn();
  }
  transaction.dispatchEvent(new Event("complete"));
  transaction.oncomplete?.();
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function storeOf(store, waiting) {
  const asked = (work) => {
    const request = {};
    waiting.push(() => {
      request.result = structuredClone(work());
      request.onsuccess?.();
    });
    return request;
  };
  return {
    get: (key) => asked(() => store.rows.get(key)),
    getAll: () => asked(() => [...store.rows].sort(([left], [other]) => left - other).map(([, row]) => row)),
    delete: (key) => asked(() => store.rows.delete(key) && undefined),
    put: (value, key) => asked(put(store, structuredClone(value), key)),
    add: (value, key) => asked(put(store, structuredClone(value), key)),
  };
}

const put = (store, value, key) => () => {
  const at = key ?? value[store.keyPath] ?? store.next;
  if (store.autoIncrement) store.next = Math.max(store.next, Math.floor(at) + 1);
  store.rows.set(at, store.keyPath ? { ...value, [store.keyPath]: at } : value);
  return at;
};

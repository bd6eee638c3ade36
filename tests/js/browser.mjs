// What Node lacks of a browser, as far as the phone's application keeps and asks with it: IndexedDB, localStorage and
// the like, in memory. Import it before the application's modules. `server.answers` answers each request.

import assert from "node:assert/strict";

export const databases = new Map();
// where a page was sent to
export const page = { left: [] };
export const server = { asked: [], answers: () => new Response("{}") };

const copied = (value) => (value === undefined ? undefined : structuredClone(value));
const later = (act) => setImmediate(act);

class Asked {
  constructor(work, transaction = null) {
    later(() => {
      try {
        this.result = work();
        this.onsuccess?.({ target: this });
      } catch (problem) {
        this.error = problem;
        this.onerror?.({ target: this });
      }
      transaction?.answered();
    });
  }
}

// Over when nobody asked anything more after the last answer, as in a browser.
class Transaction extends EventTarget {
  #stores;
  #open = 0;
  #over = false;

  constructor(stores) {
    super();
    this.#stores = stores;
    later(() => this.#settle());
  }

  objectStore(name) {
    const [rows, asked] = [this.#stores.get(name), (work) => this.#asked(work)];
    assert.ok(rows, name);
    return storeOf(rows, asked);
  }

  #asked(work) {
    if (this.#over) throw new DOMException("over", "TransactionInactiveError");
    this.#open += 1;
    return new Asked(work, this);
  }

  answered() {
    this.#open -= 1;
    later(() => this.#settle());
  }

  #settle() {
    if (this.#open || this.#over) return;
    this.#over = true;
    this.oncomplete?.();
    this.dispatchEvent(new Event("complete"));
  }

  // what it wrote before stays
  abort() {
    if (this.#over) throw new DOMException("over", "InvalidStateError");
    this.#over = true;
    later(() => this.onabort?.());
  }
}

function storeOf(rows, asked) {
  const keyOf = (value, key) => key ?? value[rows.keyPath] ?? (value[rows.keyPath] = ++rows.last);
  const put = (value, key) => asked(() => {
    const stored = copied(value);
    const at = keyOf(stored, key);
    rows.values.set(at, stored);
    return at;
  });
  const inOrder = () => [...rows.values.keys()].sort((left, other) => (left < other ? -1 : 1));
  return {
    put,
    add: put,
    get: (key) => asked(() => copied(rows.values.get(key))),
    getAll: () => asked(() => inOrder().map((key) => copied(rows.values.get(key)))),
    getAllKeys: () => asked(inOrder),
    delete: (key) => asked(() => void rows.values.delete(key)),
  };
}

function databaseOf(name, stores) {
  return {
    name,
    createObjectStore: (store, { keyPath } = {}) => stores.set(store, { keyPath, last: 0, values: new Map() }),
    transaction: () => new Transaction(stores),
    objectStoreNames: { contains: (store) => stores.has(store) },
    close: () => {},
  };
}

function open(name) {
  const request = new Asked(() => {
    const stores = databases.get(name) ?? new Map();
    request.result = databaseOf(name, stores);
    if (!databases.has(name)) made(name, stores, request);
    return request.result;
  });
  return request;
}

// Whoever looks only gives it up again.
function made(name, stores, request) {
  let isGivenUp = false;
  request.transaction = { abort: () => void (isGivenUp = true) };
  request.onupgradeneeded?.({ target: request, oldVersion: 0 });
  if (isGivenUp) throw new DOMException("given up", "AbortError");
  databases.set(name, stores);
}

const local = new Map();
Object.assign(globalThis, {
  indexedDB: {
    open,
    databases: async () => [...databases.keys()].map((name) => ({ name, version: 1 })),
    deleteDatabase: (name) => new Asked(() => void databases.delete(name)),
  },
  localStorage: {
    getItem: (key) => local.get(key) ?? null,
    setItem: (key, value) => void local.set(key, String(value)),
    removeItem: (key) => void local.delete(key),
  },
  // an open channel keeps Node from ending
  BroadcastChannel: undefined,
  addEventListener: () => {},
  location: { pathname: "/phone/", search: "", assign: (address) => page.left.push(address) },
  fetch: async (path, options = {}) => {
    server.asked.push({ path, ...options });
    return server.answers(path, options);
  },
});
if (!globalThis.navigator) globalThis.navigator = {};

// What lies in a database: {store: {key: value}}.
export function lies(name) {
  const stores = databases.get(name);
  return stores && Object.fromEntries([...stores].map(([store, { values }]) => [store, Object.fromEntries(values)]));
}

export const json = (payload, status = 200) => new Response(JSON.stringify(payload), { status });

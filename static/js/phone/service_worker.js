// The service worker: serves the application's own files without signal, and nothing else; requests to the server pass
// it by. phone/pwa.py puts VERSION, FILES (address → checksum) and the import of `sendQueue` before it.
/* global VERSION, FILES, sendQueue */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const CACHE = `phone-${VERSION}`;
const SHELL = "/phone/shell/";
// where app/app_update.js writes down in which language this phone speaks
const LANGUAGE = "/phone/language";
// `ignoreVary` below: what differs by language has an address for each

worker.addEventListener("install", (event) => {
  event.waitUntil(fill());
});

async function fill() {
  // past the browser's own store and by checksum, so that all files are of one version: a server that is not upgraded
  // yet may answer, and then the browser tries again later
  const fresh = Object.entries(FILES).map(([path, integrity]) => new Request(path, { cache: "reload", integrity }));
  await (await caches.open(CACHE)).addAll(fresh);
}

worker.addEventListener("activate", (event) => {
  event.waitUntil(takeOver());
});

// The pages are notified before the old files are deleted: what they need next comes from the new version.
async function takeOver() {
  await worker.clients.claim();
  const old = (await caches.keys()).filter(isOld);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** @param {string} name */
function isOld(name) {
  return name.startsWith("phone-") && name !== CACHE;
}

worker.addEventListener("message", (event) => {
  if (event.data === "take over") worker.skipWaiting();
});

worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (event.request.mode === "navigate" && url.pathname.startsWith("/phone/")) event.respondWith(shell(event.request));
  else if (url.pathname + url.search in FILES) event.respondWith(cachedResponse(event.request));
});

// The browser may have cleaned the files away: they come again at the first page with signal.
/** @param {Request} request */
async function shell(request) {
  const page = await keptPage();
  if (page) return page;
  await fill().catch(() => {});
  return (await keptPage()) ?? fetch(request);
}

// Nothing is written down (the browser cleaned it away): the first language, until the page knows better.
async function keptPage() {
  const language = await (await caches.match(LANGUAGE))?.text();
  return (await keptFile(`${SHELL}?language=${language}`)) ?? keptFile(SHELL, { ignoreSearch: true });
}

/** @param {Request} request */
async function cachedResponse(request) {
  return (await keptFile(request)) ?? fetch(request);
}

/** @param {string | Request} address @param {CacheQueryOptions} [more] */
function keptFile(address, more = {}) {
  return caches.match(address, { cacheName: CACHE, ignoreVary: true, ...more });
}

// The network is back (where the browser reports it): a page that somebody looks at sends what waits. One that was put
// away may be frozen, so this worker sends as well; whoever comes second finds nothing, or repeats the same ids.
worker.addEventListener("sync", (event) => {
  event.waitUntil(sendWhatWaits(event));
});

// As long as this fails the browser retries a few times; after the last attempt it is registered again.
/** @param {SyncEvent} event */
async function sendWhatWaits({ lastChance }) {
  const pages = await worker.clients.matchAll({ type: "window" });
  for (const page of pages) page.postMessage("sync");
  if (pages.some(({ visibilityState }) => visibilityState === "visible")) return;
  const failures = await sendOfEverybody();
  if (!failures.length) return;
  if (!lastChance) throw failures[0];
  await worker.registration.sync.register("queue");
}

// Whose queue it is must be who is signed in; the others' wait for them, and hold up nobody's.
async function sendOfEverybody() {
  /** @type {unknown[]} */
  const failures = [];
  for (const { name } of (await indexedDB.databases?.()) ?? []) {
    if (!name?.startsWith("phone-")) continue;
    await sendQueue.sendInBackground(name.slice("phone-".length)).catch((problem) => failures.push(problem));
  }
  return failures;
}

// A hint that something changed; open pages ask for the list at once, others when they are opened.
worker.addEventListener("push", (event) => {
  const { title, body, url, tag } = event.data?.json() ?? {};
  // the next notification about the same job replaces the last one, and sounds as that did
  const notification = { body, tag, renotify: Boolean(tag), data: { url }, icon: "/static/icons/app-192.png" };
  event.waitUntil(Promise.all([worker.registration.showNotification(title ?? "", notification), freshenPages()]));
});

async function freshenPages() {
  for (const page of await worker.clients.matchAll({ type: "window" })) page.postMessage("news");
}

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openJob(event.notification.data?.url ?? "/phone/"));
});

/** @param {string} url */
async function openJob(url) {
  const [page] = await worker.clients.matchAll({ type: "window" });
  if (!page) return worker.clients.openWindow(url);
  // some phones leave it in the background; it shows the job all the same
  await page.focus().catch(() => {});
  return page.navigate(url);
}

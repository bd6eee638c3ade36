// The application as it is installed on this phone: its service worker, its version and its language.
//
// A new version waits until nothing lies on this phone only. Then it takes over between two screens, or when the phone is
// put away or taken up again: never under somebody's hands. So does another language.

import * as queue from "./queue.js";
import { beforeNavigation } from "./router.js";

const REGISTER_MS = 15_000;
const TAKEOVER_MS = 3000;
const ASK_AGAIN_MS = 400;
const PAGE = "/phone/shell/";
const LANGUAGE = "/phone/language";

/** @type {ServiceWorkerRegistration | undefined} */
let registration;
// the worker is another one by now (another tab let it in): this page belongs to the old version
let isOutlived = false;
// in which language the server speaks by now: the one to come to
let serverLanguage = "";

// --- the service worker ---

// Waits until it answers for this page. The page itself came from the server then; from now on each one opens without
// signal. Raises the browser's error; without a worker the application works with signal only.
export async function registerServiceWorker() {
  const { serviceWorker } = navigator;
  if (serviceWorker.controller) return;
  const registered = await serviceWorker.register("/phone/sw.js", { scope: "/phone/", type: "module" });
  // one that is there already was passed by on purpose: the page was reloaded past it
  if (!registered.active) await takesControl(serviceWorker);
  await keepLanguage(document.documentElement.lang);
}

/** @param {ServiceWorkerContainer} serviceWorker */
function takesControl(serviceWorker) {
  return new Promise((resolve, reject) => {
    setTimeout(reject, REGISTER_MS, new Error("the service worker did not come"));
    serviceWorker.addEventListener("controllerchange", resolve, { once: true });
  });
}

// --- the version ---

export async function watchForNewVersion() {
  registration = await navigator.serviceWorker?.getRegistration("/phone/");
  if (!registration) return;
  let isFirst = !navigator.serviceWorker.controller;
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    isOutlived ||= !isFirst;
    isFirst = false;
  });
  beforeNavigation(reloadIfDue);
  document.addEventListener("visibilitychange", () => {
    registration?.update().catch(() => {});
    reloadAtRest().catch(console.error);
  });
  await reloadAtRest();
}

// Whether the page to which the engineer goes is loaded from the new version, instead of drawn by this one.
async function reloadIfDue() {
  const isDue = await activateUpdate();
  if (isDue) location.reload();
  return isDue;
}

async function reloadAtRest() {
  if (!isBusy() && (await activateUpdate()) && !isBusy()) location.reload();
}

async function activateUpdate() {
  if (isOutlived) return true;
  const next = registration?.waiting;
  if (!next && !isLanguageDue()) return false;
  if (queue.pendingRows(await queue.rows()).length) return false;
  return next ? takeOver(next) : switchLanguage();
}

// Asked more than once: a request of the page at that very moment starts the old worker again, and Chromium then lets
// the new one wait until the old one was at rest for half a minute.
/** @param {ServiceWorker} next @returns {Promise<boolean>} */
function takeOver(next) {
  const over = new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", () => resolve(true), { once: true }));
  const late = new Promise((resolve) => setTimeout(resolve, TAKEOVER_MS, false));
  const ask = () => next.postMessage("take over");
  ask();
  const asking = setInterval(ask, ASK_AGAIN_MS);
  return Promise.race([over, late]).finally(() => clearInterval(asking));
}

// Nobody loses a draft, or a picture not used yet, because there is a new version; and while the phone's own camera
// is open for a file field, the page is hidden and its picture on the way.
function isBusy() {
  const fields = [.../** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("main input, main textarea"))];
  return fields.some((field) => field.type === "file" || isTouched(field)) || Boolean(document.querySelector("[data-busy]"));
}

/** @param {HTMLInputElement} field */
function isTouched(field) {
  if (field.type === "hidden") return false;
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}

// --- the language. The worker stores page and texts in every language and reads here which one to use ---

// The server sends its own language with each day.
export function setServerLanguage(language = "") {
  serverLanguage = language;
}

const isLanguageDue = () => serverLanguage !== "" && serverLanguage !== document.documentElement.lang;

// Whether the next page that is loaded speaks it: not one that this version does not have.
async function switchLanguage() {
  const cacheName = `phone-${document.body.dataset.version}`;
  const page = await caches.match(`${PAGE}?language=${serverLanguage}`, { cacheName, ignoreVary: true });
  if (page) await keepLanguage(serverLanguage);
  return Boolean(page);
}

/** @param {string} language */
async function keepLanguage(language) {
  await (await caches.open("language")).put(LANGUAGE, new Response(language));
}

// A new version of the application waits until nothing lies on this phone only. Then it takes over between two screens,
// or when the phone is put away or taken up again: never under somebody's hands. So does another language.

import * as language from "./language.js";
import * as queue from "./queue.js";
import { beforeMoving } from "./router.js";

const LONGEST_MS = 3000;

let registration = null;
// the worker is another one by now (another tab let it in): this page belongs to the old version
let isOutlived = false;

export async function watchForNewVersion() {
  registration = await navigator.serviceWorker?.getRegistration("/phone/");
  if (!registration) return;
  let isFirst = !navigator.serviceWorker.controller;
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    isOutlived ||= !isFirst;
    isFirst = false;
  });
  beforeMoving(loadedAnew);
  document.addEventListener("visibilitychange", () => {
    registration.update().catch(() => {});
    atRest().catch(console.error);
  });
  await atRest();
}

// Whether the page to which the engineer goes is loaded from the new version, instead of drawn by this one.
async function loadedAnew() {
  const isDue = await letIn();
  if (isDue) location.reload();
  return isDue;
}

async function atRest() {
  if (!isBusy() && (await letIn()) && !isBusy()) location.reload();
}

async function letIn() {
  if (isOutlived) return true;
  const next = registration.waiting;
  if (!next && !language.isComing()) return false;
  if (queue.waiting(await queue.rows()).length) return false;
  return next ? takesOver(next) : language.turn();
}

function takesOver(next) {
  const over = new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", () => resolve(true), { once: true }));
  const late = new Promise((resolve) => setTimeout(resolve, LONGEST_MS, false));
  next.postMessage("take over");
  return Promise.race([over, late]);
}

// Nobody loses half a word, or a picture not used yet, because we had news; and while the phone's own camera is open
// for a file field, the page is hidden and its picture on the way.
function isBusy() {
  const fields = [...document.querySelectorAll("main input, main textarea")];
  return fields.some((field) => field.type === "file" || isTouched(field)) || Boolean(document.querySelector("[data-busy]"));
}

function isTouched(field) {
  if (field.type === "hidden") return false;
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}

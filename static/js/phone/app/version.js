// A new version of the application waits until nothing lies on this phone only; then it takes over at a quiet moment.

import * as queue from "./queue.js";

const LOOK_AGAIN_MS = 2000;

export async function watchForNewVersion() {
  const registration = await navigator.serviceWorker?.getRegistration("/phone/");
  if (!registration) return;
  const look = () => offer(registration).catch(() => {});
  const follow = () => registration.installing?.addEventListener("statechange", look);
  registration.addEventListener("updatefound", follow);
  queue.onChange(look);
  navigator.serviceWorker.addEventListener("controllerchange", reloadInPeace);
  document.addEventListener("visibilitychange", () => {
    look();
    registration.update().catch(() => {});
  });
  follow();
  await look();
}

async function offer(registration) {
  if (!registration.waiting || isBusy()) return;
  if (queue.waiting(await queue.rows()).length === 0) registration.waiting.postMessage("take over");
}

// Another tab may have let the new version in: this one goes on with what it has until nothing is half done.
function reloadInPeace() {
  if (isBusy()) setTimeout(reloadInPeace, LOOK_AGAIN_MS);
  else location.reload();
}

// Nobody loses half a word, or a picture not used yet, because we had news.
function isBusy() {
  return [...document.querySelectorAll("main input, main textarea")].some(isTouched) || Boolean(document.querySelector("[data-busy]"));
}

function isTouched(field) {
  if (field.type === "hidden") return false;
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}

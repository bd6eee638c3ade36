// Puts the application on this phone: registers its service worker, and waits until that answers for this page. The
// page itself came from the server then; from now on each one opens without signal.

import * as language from "./language.js";

const LONGEST_MS = 15_000;

// Raises what the browser says; without a worker the application works with signal only.
export async function registerServiceWorker() {
  const { serviceWorker } = navigator;
  if (serviceWorker.controller) return;
  const registration = await serviceWorker.register("/phone/sw.js", { scope: "/phone/", type: "module" });
  // one that is there already was passed by on purpose: the page was reloaded past it
  if (!registration.active) await takesControl(serviceWorker);
  await language.keep(document.documentElement.lang);
}

function takesControl(serviceWorker) {
  return new Promise((resolve, reject) => {
    setTimeout(reject, LONGEST_MS, new Error("the service worker did not come"));
    serviceWorker.addEventListener("controllerchange", resolve, { once: true });
  });
}

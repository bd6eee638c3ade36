// On a page that the server made: puts the application on this phone, and opens the same address in it.
// Where that is not possible (an old browser, a private window) the page works on as plain forms.

const LONGEST_MS = 15_000;

async function begin() {
  if (!navigator.serviceWorker || !globalThis.indexedDB) return;
  await navigator.serviceWorker.register("/phone/sw.js", { scope: "/phone/", type: "module" });
  if (!navigator.serviceWorker.controller) await controlled();
  // the worker answers from now on, in the language of this page; app/language.js writes it down later
  await (await caches.open("language")).put("/phone/language", new Response(document.documentElement.lang));
  // a worker that lost its files lets the server answer: then once is enough
  if (sessionStorage.getItem("phone.begun") === location.href) return;
  sessionStorage.setItem("phone.begun", location.href);
  location.reload();
}

function controlled() {
  return new Promise((resolve, reject) => {
    setTimeout(reject, LONGEST_MS, new Error("the worker did not come"));
    navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true });
  });
}

begin().catch((problem) => console.warn("works with signal only", problem));

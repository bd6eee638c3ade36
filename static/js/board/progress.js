// Keeps the progress of background work up to date: fetches the page every second and swaps the one part until the work
// has ended, and then downloads what it made.

const EVERY_MS = 1000;
const TIMEOUT_MS = 8000;

/** @param {HTMLElement} section */
export function start(section) {
  const timer = setInterval(async () => {
    if (document.hidden) return;
    if (!section.querySelector("[data-over]")) await refresh();
    if (!section.querySelector("[data-over]")) return;
    clearInterval(timer);
    /** @type {HTMLElement | null} */ (section.querySelector("[data-download]"))?.click();
  }, EVERY_MS);
}

async function refresh() {
  try {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(TIMEOUT_MS), cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("progress");
    if (fresh) document.getElementById("progress")?.replaceWith(fresh);
  } catch {
    // the next second asks again
  }
}

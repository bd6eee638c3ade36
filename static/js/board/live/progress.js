// Keeps the progress of background work up to date: fetches the page every second and changes what differs in the one part
// until the work has ended, and then downloads what it made.
import { keepingFocus } from "../focus.js";
import { bare } from "./swap_parts.js";

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
    const part = document.getElementById("progress"), fresh = page.getElementById("progress");
    if (part && fresh) keepingFocus(() => update(part, fresh));
  } catch {
    // the next second asks again
  }
}

// A button keeps the focus, and a status stays the region that a screen reader watches: what is the same stays as it is.
/** @param {ChildNode} old @param {ChildNode} fresh */
function update(old, fresh) {
  if (!(old instanceof HTMLElement) || !(fresh instanceof HTMLElement) || old.nodeName !== fresh.nodeName) {
    if (!old.isEqualNode(fresh)) old.replaceWith(fresh);
    return;
  }
  if (bare(old) === bare(fresh)) return;
  updateAttributes(old, fresh);
  const before = [...old.childNodes], after = [...fresh.childNodes];
  for (const [at, child] of after.entries()) {
    if (before[at]) update(before[at], child);
    else old.append(child);
  }
  for (const child of before.slice(after.length)) child.remove();
}

/** @param {HTMLElement} old @param {HTMLElement} fresh */
function updateAttributes(old, fresh) {
  for (const name of old.getAttributeNames()) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const name of fresh.getAttributeNames()) old.setAttribute(name, fresh.getAttribute(name) ?? "");
}

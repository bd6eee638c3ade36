// Reads the live page of an appointment again every half minute while somebody looks at it, and puts the new status in
// the place of the old one. Without it, or while there is no connection, the page has a link to reload.

const SECONDS = 30;

/** @param {HTMLElement} status */
export function start(status) {
  const timer = setInterval(async () => {
    if (document.hidden) return;
    const fresh = await readStatus(status.id);
    if (!fresh) return;
    // only a difference is read out by a screen reader
    if (fresh.querySelector("[role=status]")?.textContent === status.querySelector("[role=status]")?.textContent) {
      status.querySelector(".muted")?.replaceWith(fresh.querySelector(".muted") ?? "");
      return;
    }
    putIn(status, fresh);
    if (!fresh.dataset.module) clearInterval(timer);
  }, SECONDS * 1000);
}

// the region that a screen reader watches stays, with the new text in it
/** @param {HTMLElement} status @param {HTMLElement} fresh */
function putIn(status, fresh) {
  const region = status.querySelector(":scope > [role=status]"), renewed = fresh.querySelector(":scope > [role=status]");
  if (!region || !renewed) return status.replaceChildren(...fresh.childNodes);
  region.replaceChildren(...renewed.childNodes);
  while (region.nextSibling) region.nextSibling.remove();
  renewed.remove();
  return region.after(...fresh.childNodes);
}

/** @param {string} id */
async function readStatus(id) {
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) return null;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.getElementById(id);
  } catch {
    return null;
  }
}

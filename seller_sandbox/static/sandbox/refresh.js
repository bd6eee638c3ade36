// Keeps what is marked data-live up to date by fetching the page again; without it the page is as it was loaded.

const EVERY_MS = 2000;
const rendered = new Map();

async function refresh() {
  if (document.hidden) return;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const region of document.querySelectorAll("[data-live]")) {
    const newer = fresh.getElementById(region.id);
    if (newer) replace(region, newer);
  }
}

/** @param {Element} region @param {Element} newer */
function replace(region, newer) {
  const content = newer.innerHTML;
  // focus and selection must not jump while somebody reads; the next round brings the change
  if (content === rendered.get(region.id) || region.contains(document.activeElement) || isSelected(region)) return;
  const open = new Set([...region.querySelectorAll("details[open]")].map((details) => details.id));
  region.className = newer.className;
  region.replaceChildren(...newer.childNodes);
  for (const details of region.querySelectorAll("details")) details.open = open.has(details.id);
  rendered.set(region.id, content);
}

/** @param {Element} region */
function isSelected(region) {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && region.contains(selection.anchorNode);
}

async function keepFresh() {
  try {
    await refresh();
  } catch {
    // the console is being restarted: the next round finds it again
  }
  setTimeout(keepFresh, EVERY_MS);
}

setTimeout(keepFresh, EVERY_MS);

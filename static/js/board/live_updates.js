// Keeps the board up to date: polls a small version number and, when it has changed, fetches the page and swaps its
// parts.
//
// Asking every two seconds instead of a stream: a stream holds a worker per open board and needs its own server
// process, which comes with a later issue. The question costs two small queries, the page comes only after a change.

const EVERY_MS = 2000;
const PATIENCE_MS = 8000;

export function start(board) {
  const live = { board, version: board.dataset.version, busy: false, again: false, offlineSince: null };
  document.addEventListener("board:changed", () => refresh(live));
  document.addEventListener("board:free", () => live.again && refresh(live));
  document.addEventListener("visibilitychange", () => document.hidden || ask(live));
  window.addEventListener("popstate", () => refresh(live));
  board.addEventListener("click", (event) => choose(live, event));
  markChosen(board);
  setInterval(() => document.hidden || ask(live), EVERY_MS);
}

async function ask(live) {
  try {
    const answer = await get(live.board.dataset.pulse);
    const { version } = await answer.json();
    connected(live, true);
    if (version !== live.version) await refresh(live);
  } catch {
    connected(live, false);
  }
}

async function get(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), cache: "no-store" });
  // signed out meanwhile: the log-in page must not be swapped into the board
  if (answer.redirected) location.reload();
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return answer;
}

async function refresh(live) {
  if (live.busy || live.board.classList.contains("is-held")) {
    live.again = true;
    return;
  }
  live.busy = true;
  live.again = false;
  try {
    const page = new DOMParser().parseFromString(await (await get(location.href)).text(), "text/html");
    // somebody may have taken a card while the page was on its way
    if (live.board.classList.contains("is-held")) live.again = true;
    else swap(live, page);
    connected(live, true);
  } catch {
    connected(live, false);
  } finally {
    live.busy = false;
  }
  if (live.again && !live.board.classList.contains("is-held")) await refresh(live);
}

function swap(live, page) {
  const fresh = page.getElementById("board");
  if (!fresh) return location.reload();
  const focused = document.activeElement?.closest("[id]")?.id;
  if (sameShape(live.board, fresh)) swapParts(page);
  else swapLanes(page);
  live.version = fresh.dataset.version;
  live.board.classList.toggle("has-panel", fresh.classList.contains("has-panel"));
  markChosen(live.board);
  if (focused && !document.activeElement?.closest("[id]")?.isSameNode(document.getElementById(focused))) focusOn(focused);
}

const lanesOf = (root) => [...root.querySelectorAll(".lane[id]")].map((lane) => lane.id).join();
const sheetOf = (root) => root.querySelector(".sheet").className;

function sameShape(board, fresh) {
  return lanesOf(board) === lanesOf(fresh) && sheetOf(board) === sheetOf(fresh);
}

function swapParts(page) {
  for (const part of document.querySelectorAll("[data-part]")) {
    const fresh = page.getElementById(part.id);
    if (!fresh || bare(fresh) === bare(part) || isBeingFilledIn(part, fresh)) continue;
    const scrolled = part.scrollTop;
    part.replaceWith(fresh);
    fresh.scrollTop = scrolled;
  }
}

// what the page adds by itself, or what is new in every answer, is no difference
function bare(part) {
  const copy = part.cloneNode(true);
  copy.classList.remove("is-chosen", "is-target");
  for (const card of copy.querySelectorAll(".is-chosen")) card.classList.remove("is-chosen");
  for (const token of copy.querySelectorAll("[name=csrfmiddlewaretoken]")) token.remove();
  return copy.outerHTML;
}

// an engineer more or a longer day: the whole sheet is new
function swapLanes(page) {
  const lanes = document.getElementById("lanes");
  const fresh = page.getElementById("lanes");
  lanes.dataset.start = fresh.dataset.start;
  lanes.dataset.quarters = fresh.dataset.quarters;
  const { scrollTop, scrollLeft } = lanes;
  lanes.replaceChildren(...fresh.childNodes);
  lanes.scrollTo(scrollLeft, scrollTop);
  swapParts(page);
}

// a half-written form stays, unless another job was chosen
function isBeingFilledIn(part, fresh) {
  if (!part.contains(document.activeElement) || !document.activeElement.matches("input, select, textarea")) return false;
  return part.dataset.job === fresh.dataset.job;
}

function focusOn(id) {
  const element = document.getElementById(id);
  (element?.matches(".card") ? element.querySelector("a") : element)?.focus({ preventScroll: true });
}

// a card or the panel's Close: the same address as without script, fetched instead of loaded
function choose(live, event) {
  const link = event.target.closest(".card > a, a[data-close-panel]");
  if (!link || event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  refresh(live);
}

function markChosen(board) {
  const chosen = new URLSearchParams(location.search).get("job");
  for (const card of board.querySelectorAll(".card")) card.classList.toggle("is-chosen", card.dataset.job === chosen);
}

function connected(live, isConnected) {
  const word = document.getElementById("connection");
  live.offlineSince = isConnected ? null : (live.offlineSince ?? new Date());
  word.textContent = isConnected ? "" : live.board.dataset.lost.replace("{time}", clockTime(live.offlineSince));
  word.hidden = isConnected;
}

function clockTime(moment) {
  return moment.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

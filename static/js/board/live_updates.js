// Keeps the board up to date. The stream brings the parts that have changed, rendered once for all boards; where there
// is none, or while it is interrupted, the page polls a small version number and fetches itself when that has changed.

import { documentOf, follow } from "./live_stream.js";
import { signIn } from "./sign_in.js";

const EVERY_MS = 2000;
const TIMEOUT_MS = 8000;
// what only the own page can say (panel, Attention) is fetched within this time, not by all boards at once
const SPREAD_MS = 1000;

/** @param {BoardElement} board */
export function start(board) {
  /** @type {LiveBoard} */
  const live = { board, version: board.dataset.version, busy: false, again: false, isStale: false, offlineSince: null, isStreaming: false };
  document.addEventListener("board:changed", () => refresh(live));
  document.addEventListener("board:free", () => live.again && refresh(live));
  document.addEventListener("visibilitychange", () => document.hidden || ask(live));
  window.addEventListener("popstate", () => refresh(live));
  board.addEventListener("click", (event) => choose(live, event));
  markChosen(board);
  // a stream brings changes, but not the page that could not be fetched
  setInterval(() => document.hidden || (live.isStreaming && !live.isStale) || ask(live), EVERY_MS);
  if (board.dataset.streamUrl) follow(board.dataset.streamUrl, handlersOf(live));
}

/** @param {LiveBoard} live @returns {StreamHandlers} */
function handlersOf(live) {
  return {
    hello: ({ version, visitors }) => {
      setStreaming(live, true);
      hear(live, version, visitors);
    },
    change: (change) => apply(live, change),
    reload: () => refresh(live),
    presence: ({ visitors }) => showVisitors(visitors),
    lost: () => setStreaming(live, false),
  };
}

/** @param {LiveBoard} live @param {boolean} isStreaming */
function setStreaming(live, isStreaming) {
  live.isStreaming = isStreaming;
  // readable from outside the page, for support and our tests
  live.board.setAttribute("data-live", isStreaming ? "stream" : "polling");
}

/** @param {BoardVisitor[]} visitors */
function showVisitors(visitors) {
  const notice = document.getElementById("presence");
  // presence.js may start later than this
  if (notice) notice.dataset.visitors = JSON.stringify(visitors);
  document.dispatchEvent(new CustomEvent("board:visitors"));
}

// parts of another page than this one (a week, a map) are fetched with it
/** @param {LiveBoard} live @param {BoardChange} change */
function apply(live, { version, parts, jobs, is_personal }) {
  const isHeld = live.board.classList.contains("is-held");
  if (live.busy || live.isStale || isHeld || Object.keys(parts).some((id) => !document.getElementById(id))) {
    refresh(live);
    return;
  }
  keepingFocus(() => swapParts(documentOf(parts)));
  live.version = version;
  connected(live, true);
  swapped(live);
  // a job, or an engineer by staff number
  const openJob = document.getElementById("panel")?.dataset.job ?? "";
  if (is_personal || jobs.includes(openJob) || `lane-${openJob}` in parts) setTimeout(() => refresh(live), Math.random() * SPREAD_MS);
}

/** @param {LiveBoard} live */
async function ask(live) {
  try {
    const answer = await get(live.board.dataset.versionUrl);
    const { version, visitors } = await answer.json();
    await hear(live, version, visitors);
  } catch {
    connected(live, false);
  }
}

// the server answers; a page that could not be fetched before, such as that of a chosen card, is fetched now
/** @param {LiveBoard} live @param {string} version @param {BoardVisitor[]} visitors */
async function hear(live, version, visitors) {
  if (!live.isStale) connected(live, true);
  showVisitors(visitors);
  if (live.isStale || version !== live.version) await refresh(live);
}

/** @param {string} url */
async function get(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), cache: "no-store" });
  // signed out in the meantime: the log-in page must not be swapped into the board
  if (answer.redirected) {
    signIn({ address: answer.url });
    throw new Error(`${url}: signed out`);
  }
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return answer;
}

/** @param {LiveBoard} live */
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
    live.isStale = false;
    connected(live, true);
  } catch {
    live.isStale = true;
    connected(live, false);
  } finally {
    live.busy = false;
  }
  if (live.again && !live.board.classList.contains("is-held")) await refresh(live);
}

/** @param {LiveBoard} live @param {Document} page */
function swap(live, page) {
  const fresh = /** @type {BoardElement | null} */ (page.getElementById("board"));
  // the view is chosen for the session: another tab may show the week or the map from now on
  if (!fresh || fresh.dataset.view !== live.board.dataset.view) return location.reload();
  keepingFocus(() => (sameShape(live.board, fresh) ? swapParts(page) : swapLanes(page)));
  live.version = fresh.dataset.version;
  const isOpened = !live.board.classList.contains("has-panel") && fresh.classList.contains("has-panel");
  live.board.classList.toggle("has-panel", fresh.classList.contains("has-panel"));
  swapped(live);
  // the panel takes its space from the rows
  if (isOpened) live.board.querySelector(".track .card.is-chosen")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** @param {LiveBoard} live */
function swapped(live) {
  markChosen(live.board);
  document.dispatchEvent(new CustomEvent("board:swapped"));
}

/** @param {() => void} change */
function keepingFocus(change) {
  const focused = document.activeElement?.closest("[id]")?.id;
  change();
  if (focused && !document.activeElement?.closest("[id]")?.isSameNode(document.getElementById(focused))) focusOn(focused);
}

/** @param {Element} root */
const lanesOf = (root) => [...root.querySelectorAll(".lane[id]")].map((lane) => lane.id).join();
/** @param {Element} root */
const sheetOf = (root) => root.querySelector(".sheet")?.className;

/** @param {Element} board @param {Element} fresh */
function sameShape(board, fresh) {
  return lanesOf(board) === lanesOf(fresh) && sheetOf(board) === sheetOf(fresh);
}

/** @param {Document} page */
function swapParts(page) {
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-part]"))) {
    const fresh = page.getElementById(part.id);
    if (!fresh || bare(fresh) === bare(part) || isBeingFilledIn(part, fresh)) continue;
    const scrolled = part.scrollTop;
    part.replaceWith(fresh);
    fresh.scrollTop = scrolled;
  }
}

// what the page adds automatically, or what is new in every answer, is no difference
/** @param {HTMLElement} part */
function bare(part) {
  const copy = /** @type {HTMLElement} */ (part.cloneNode(true));
  copy.classList.remove("is-chosen", "is-target");
  copy.hidden = false;
  for (const card of copy.querySelectorAll(".card")) card.classList.remove("is-chosen", "is-faded", "is-selected");
  for (const button of copy.querySelectorAll("[aria-pressed], [aria-expanded]")) setStateless(button);
  for (const details of copy.querySelectorAll("details")) details.removeAttribute("open");
  for (const presence of copy.querySelectorAll(".presence")) presence.remove();
  for (const token of copy.querySelectorAll("[name=csrfmiddlewaretoken]")) token.remove();
  return copy.outerHTML;
}

/** @param {Element} button */
function setStateless(button) {
  for (const name of ["aria-pressed", "aria-expanded"]) button.removeAttribute(name);
}

// an engineer more or a longer day: the whole sheet is new
/** @param {Document} page */
function swapLanes(page) {
  const lanes = document.getElementById("lanes");
  const fresh = page.getElementById("lanes");
  if (!lanes || !fresh) return;
  lanes.dataset.start = fresh.dataset.start;
  lanes.dataset.quarters = fresh.dataset.quarters;
  const { scrollTop, scrollLeft } = lanes;
  lanes.replaceChildren(...fresh.childNodes);
  lanes.scrollTo(scrollLeft, scrollTop);
  swapParts(page);
}

// a half-written form stays, unless another job was chosen
/** @param {HTMLElement} part @param {HTMLElement} fresh */
function isBeingFilledIn(part, fresh) {
  const focused = document.activeElement;
  if (!focused || !part.contains(focused) || !focused.matches("input, select, textarea")) return false;
  return part.dataset.job === fresh.dataset.job;
}

/** @param {string} id */
function focusOn(id) {
  const element = document.getElementById(id);
  (element?.matches(".card") ? element.querySelector("a") : element)?.focus({ preventScroll: true });
}

// a card or the panel's Close: the same address as without script, fetched instead of loaded
/** @param {LiveBoard} live @param {MouseEvent} event */
function choose(live, event) {
  /** @type {HTMLAnchorElement | null} */
  const link = /** @type {Element} */ (event.target).closest(".card > a, a[data-close-panel], a[data-panel-link]");
  if (!link || event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  refresh(live);
}

/** @param {BoardElement} board */
function markChosen(board) {
  const chosen = new URLSearchParams(location.search).get("job");
  for (const card of /** @type {NodeListOf<JobCard>} */ (board.querySelectorAll(".card"))) card.classList.toggle("is-chosen", card.dataset.job === chosen);
}

/** @param {LiveBoard} live @param {boolean} isConnected */
function connected(live, isConnected) {
  const status = document.getElementById("connection");
  live.offlineSince = isConnected ? null : (live.offlineSince ?? new Date());
  if (!status) return;
  status.textContent = live.offlineSince ? live.board.dataset.offline.replace("{time}", clockTime(live.offlineSince)) : "";
  status.hidden = isConnected;
}

/** @param {Date} moment */
function clockTime(moment) {
  return moment.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

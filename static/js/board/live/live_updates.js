// Keeps the board up to date. The stream brings the parts that have changed, rendered once for all boards; where there
// is none, or while it is interrupted, the page polls a small version number and fetches itself when that has changed.

import { isBeingFilledIn } from "../forms/filled_in.js";
import { focusCard, keepingFocus } from "../focus.js";
import { documentOf, follow } from "./live_stream.js";
import { forgetView, inView } from "../day/own_view.js";
import { signIn } from "../sign_in.js";
import { swapParts } from "./swap_parts.js";

const EVERY_MS = 2000;
const TIMEOUT_MS = 8000;
// what only the own page can say (panel, Attention) is fetched within this time, not by all boards at once
const SPREAD_MS = 1000;
// a press of a button comes before the part that it is in is replaced
const LEFT_MS = 500;

/** @param {BoardElement} board */
export function start(board) {
  /** @type {LiveBoard} */
  const live = { board, version: board.dataset.version, busy: false, again: false, isStale: false, skipped: [], offlineSince: null, isStreaming: false, openedByKey: "" };
  document.addEventListener("board:changed", () => refresh(live));
  document.addEventListener("board:free", () => live.again && refresh(live));
  document.addEventListener("visibilitychange", () => document.hidden || ask(live));
  window.addEventListener("popstate", () => refresh(live));
  board.addEventListener("click", (event) => choose(live, event));
  for (const name of ["focusout", "input", "reset"]) document.addEventListener(name, () => setTimeout(() => catchUp(live), LEFT_MS));
  forgetView(board.dataset.view);
  forgetToday(board);
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
function apply(live, { version, today, parts, jobs, is_personal }) {
  const isHeld = live.board.classList.contains("is-held");
  if (live.busy || live.isStale || isHeld || Object.keys(parts).some((id) => !document.getElementById(id))) {
    refresh(live);
    return;
  }
  keepingFocus(() => live.skipped.push(...swapParts(documentOf(parts), false)));
  live.version = version;
  connected(live, true);
  swapped(live);
  // a job, or an engineer by staff number
  const openJob = document.getElementById("panel")?.dataset.job ?? "";
  const isNewDay = today !== live.board.dataset.today;
  if (is_personal || isNewDay || jobs.includes(openJob) || `lane-${openJob}` in parts) setTimeout(() => refresh(live), Math.random() * SPREAD_MS);
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

// a part that was being filled in when it changed: no further change may come that would bring it
/** @param {LiveBoard} live */
function catchUp(live) {
  if (!live.skipped.some((part) => part.isConnected && !isBeingFilledIn(part))) return;
  live.skipped = [];
  refresh(live);
}

/** @param {string} url @param {Record<string, string>} [headers] */
async function get(url, headers = {}) {
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS), cache: "no-store" });
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
  const address = location.href;
  try {
    // in the view of this page: another tab may have chosen another one since
    const answer = await get(address, { "Board-View": live.board.dataset.view });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    // somebody may have taken or chosen another card while the page was on its way
    if (live.board.classList.contains("is-held") || location.href !== address) live.again = true;
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
  if (isOutdated(live.board, page) && !isInUse()) return reload(live);
  // the jobs of another view may lie at other hours
  if (fresh?.dataset.view !== live.board.dataset.view) throw new Error("not the view on show");
  if (fresh.dataset.day !== live.board.dataset.day) return stayOnDay(live);
  keepingFocus(() => {
    if (!sameShape(live.board, fresh)) swapLanes(page);
    live.skipped = swapParts(page, !live.again);
  });
  live.version = fresh.dataset.version;
  const isOpened = !live.board.classList.contains("has-panel") && fresh.classList.contains("has-panel");
  live.board.classList.toggle("has-panel", fresh.classList.contains("has-panel"));
  swapped(live);
  // the panel takes its space from the rows
  if (isOpened) live.board.querySelector(".track .card.is-chosen")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// the heading, the links to other days and the stream are of a day that is over, or in the language of before
/** @param {BoardElement} board @param {Document} page */
function isOutdated({ dataset }, page) {
  const fresh = page.getElementById("board")?.dataset;
  const isOtherLanguage = page.documentElement.lang !== document.documentElement.lang;
  return isOtherLanguage || ["view", "day", "today"].some((name) => fresh?.[name] !== dataset[name]);
}

// what is lost when the page is loaded anew: a half-filled form, selected cards, a refusal with its reason
function isInUse() {
  if (document.querySelector(".card.is-selected, #action-response:not([hidden])")) return true;
  return [...document.querySelectorAll("[data-part], .bar-search")].some(isBeingFilledIn);
}

/** @param {LiveBoard} live */
function reload({ board }) {
  history.replaceState(history.state, "", inView(location.href, board.dataset.view));
  location.reload();
}

// an address that names no day names the one on show from now on, so that nothing of the next is mixed in
/** @param {LiveBoard} live */
function stayOnDay(live) {
  const address = new URL(location.href);
  address.searchParams.set("day", live.board.dataset.day);
  history.replaceState(history.state, "", address);
  live.again = true;
}

/** @param {LiveBoard} live */
function swapped(live) {
  markChosen(live.board);
  focusOpened(live);
  document.dispatchEvent(new CustomEvent("board:swapped"));
}

/** @param {Element} root */
const lanesOf = (root) => [...root.querySelectorAll(".lane[id]")].map((lane) => lane.id).join();
/** @param {Element} root */
const sheetOf = (root) => root.querySelector(".sheet")?.className;
// as many hours may begin earlier
/** @param {Element} root */
const startOf = (root) => root.querySelector("#lanes")?.getAttribute("data-start");

/** @param {Element} board @param {Element} fresh */
function sameShape(board, fresh) {
  return [lanesOf, sheetOf, startOf].every((read) => read(board) === read(fresh));
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
}

// a card or the panel's Close: the same address as without script, fetched instead of loaded
/** @param {LiveBoard} live @param {MouseEvent} event */
function choose(live, event) {
  /** @type {HTMLAnchorElement | null} */
  const link = /** @type {Element} */ (event.target).closest(".card > a, a[data-close-panel], a[data-panel-link]");
  if (!link || event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const panel = document.getElementById("panel")?.dataset.job ?? "", chosen = chosenIn(new URL(link.href).search);
  // a key, or the context menu; within the panel of the same job it is only shown in more detail
  live.openedByKey = event.detail === 0 && !(link.closest("#panel") && panel === chosen) ? chosen : "";
  if (link.matches("[data-close-panel]")) focusCard(panel, { preventScroll: event.detail > 0 });
  history.pushState(null, "", link.href);
  forgetToday(live.board);
  refresh(live);
}

// the panel lies behind all rows: nobody would find it with the Tab key
/** @param {LiveBoard} live */
function focusOpened(live) {
  const panel = document.getElementById("panel");
  if (!live.openedByKey || panel?.dataset.job !== live.openedByKey) return;
  live.openedByKey = "";
  // who types something else by now goes on typing
  if (!document.activeElement?.matches("input, select, textarea")) panel.querySelector("a")?.focus();
}

/** @param {string} search the job, or the engineer, that an address of the board chooses */
function chosenIn(search) {
  const parameters = new URLSearchParams(search);
  return parameters.get("job") ?? parameters.get("engineer") ?? "";
}

// the address of today's board names no day: after midnight, or the next sign-in, it is that of the new day
/** @param {BoardElement} board */
function forgetToday({ dataset: { day, today } }) {
  if (day !== today) return;
  const address = new URL(location.href);
  address.searchParams.delete("day");
  history.replaceState(history.state, "", address);
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

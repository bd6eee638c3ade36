// The Attention list on every page of the office: kept up to date, with its number in the tab's title, and a sound for a
// new entry where the dispatcher wants one. What was announced stays in this browser, so that of several tabs only one
// is heard, and what came between two pages is announced by the second.
import { announce } from "../announce.js";
import { isBeingFilledIn } from "../forms/filled_in.js";
import { readJson, writeJson } from "../stored_json.js";

const SOUND = "board-attention-sound";
const KNOWN = "board-attention-known";
const EVERY_MS = 5000;
// where no sound is wanted: every half minute, whatever the timer's delay
const SELDOM_MS = 28_000;
const TIMEOUT_MS = 8000;
const TONE_HERTZ = 880;
const TONE_SECONDS = 0.25;
// what other pages than the board have of the list
const PARTS = ["nav", "alarm-banner", "attention-page"];

const isWanted = () => localStorage.getItem(SOUND) === "on";
const board = () => document.getElementById("board");

/** @param {HTMLElement} bar */
export function start(bar) {
  const title = document.title;
  const url = bar.dataset.attentionUrl ?? "";
  const announced = new Set(entriesOf(document));
  /** @param {string[]} entries */
  const show = (entries) => {
    document.title = entries.length ? `(${entries.length}) ${title}` : title;
    soundFor(entries);
    announceNew(entries, announced);
  };
  document.addEventListener("change", (event) => choose(/** @type {Element} */ (event.target)));
  document.addEventListener("board:swapped", () => show(entriesOf(document)));
  window.addEventListener("storage", () => markChoices());
  markChoices();
  show(entriesOf(document));
  const parts = { isStale: false };
  let askedAt = Date.now();
  setInterval(() => {
    if (isBoardLive() || (!isWanted() && Date.now() - askedAt < SELDOM_MS)) return;
    askedAt = Date.now();
    ask(url, parts, show);
  }, EVERY_MS);
}

// a board asks by itself; but hidden and without a stream it does not
function isBoardLive() {
  return board()?.dataset.live === "stream" || (board() !== null && !document.hidden);
}

// `isStale`: not all of them could be replaced when they had changed
/** @param {string} url @param {{ isStale: boolean }} parts @param {(entries: string[]) => void} show */
async function ask(url, parts, show) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), cache: "no-store" });
    // signed out in the meantime
    if (answer.redirected || !answer.ok) return;
    /** @type {{ entries: string[], version: string }} */
    const { entries, version } = await answer.json();
    const isChanged = version !== document.getElementById("nav")?.dataset.version;
    show(entries);
    if ((isChanged || parts.isStale) && !board()) parts.isStale = !(await refresh());
  } catch {
    // asked again in a moment
  }
}

// whether the page is as the list now; a part that somebody uses stays
async function refresh() {
  const answer = await fetch(location.href, { signal: AbortSignal.timeout(TIMEOUT_MS), cache: "no-store" });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  let isWhole = true;
  for (const id of PARTS) {
    const part = document.getElementById(id), fresh = page.getElementById(id);
    if (!part || !fresh) continue;
    if (part.contains(document.activeElement) || isBeingFilledIn(part)) isWhole = false;
    // a region that a screen reader watches stays
    else if (part.matches("[role=status]")) part.replaceChildren(...fresh.childNodes);
    else part.replaceWith(fresh);
  }
  return isWhole;
}

/** @param {Document} page */
function entriesOf(page) {
  return page.getElementById("nav")?.dataset.attention?.split(" ").filter(Boolean) ?? [];
}

// each once by its title, as soon as the list of the page has it
/** @param {string[]} entries @param {Set<string>} announced */
function announceNew(entries, announced) {
  for (const entry of entries) {
    const title = document.querySelector(`#attention [data-entry="${CSS.escape(entry)}"] b`)?.textContent;
    if (!title || announced.has(entry)) continue;
    announced.add(entry);
    announce(title);
  }
}

/** @param {string[]} entries */
function soundFor(entries) {
  const known = readJson(localStorage, KNOWN, /** @type {string[] | null} */ (null));
  writeJson(localStorage, KNOWN, entries);
  if (isWanted() && known && entries.some((entry) => !known.includes(entry))) play();
}

/** @param {Element} field */
function choose(field) {
  if (!(field instanceof HTMLInputElement) || !field.matches("[data-attention-sound]")) return;
  localStorage.setItem(SOUND, field.checked ? "on" : "off");
  markChoices();
  if (field.checked) play();
}

function markChoices() {
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[data-attention-sound]"))) {
    field.checked = isWanted();
  }
}

function play() {
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  tone.frequency.value = TONE_HERTZ;
  tone.connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + TONE_SECONDS);
  tone.addEventListener("ended", () => audio.close());
}

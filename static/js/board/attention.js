// The Attention list on every page of the office: its number in the tab's title, and a sound for a new entry where the
// dispatcher wants one. What was announced stays in this browser, so that of several tabs only one is heard, and what
// came between two pages is announced by the second.
import { readJson, writeJson } from "./stored_json.js";

const SOUND = "board-attention-sound";
const KNOWN = "board-attention-known";
const EVERY_MS = 5000;
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
  /** @param {string[]} entries */
  const announce = (entries) => {
    document.title = entries.length ? `(${entries.length}) ${title}` : title;
    soundFor(entries);
  };
  document.addEventListener("change", (event) => choose(/** @type {Element} */ (event.target)));
  document.addEventListener("board:swapped", () => announce(entriesOf(document)));
  window.addEventListener("storage", () => markChoices());
  markChoices();
  announce(entriesOf(document));
  setInterval(() => isWanted() && !isBoardLive() && ask(url, announce), EVERY_MS);
}

// a board asks by itself; but hidden and without a stream it does not
function isBoardLive() {
  return board()?.dataset.live === "stream" || (board() !== null && !document.hidden);
}

/** @param {string} url @param {(entries: string[]) => void} announce */
async function ask(url, announce) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), cache: "no-store" });
    // signed out in the meantime
    if (answer.redirected || !answer.ok) return;
    /** @type {{ entries: string[] }} */
    const { entries } = await answer.json();
    const isChanged = entries.join(" ") !== entriesOf(document).join(" ");
    announce(entries);
    if (isChanged && !board()) await refresh();
  } catch {
    // asked again in a moment
  }
}

async function refresh() {
  const answer = await fetch(location.href, { signal: AbortSignal.timeout(TIMEOUT_MS), cache: "no-store" });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of PARTS) {
    const part = document.getElementById(id), fresh = page.getElementById(id);
    if (part && fresh && !part.contains(document.activeElement)) part.replaceWith(fresh);
  }
}

/** @param {Document} page */
function entriesOf(page) {
  return page.getElementById("nav")?.dataset.attention?.split(" ").filter(Boolean) ?? [];
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

// The board's time axis in the browser, and what is shown on it while a card is moved.

const QUARTER_MS = 15 * 60 * 1000;

// The element of this id; the templates start no script of the board without them.
/** @param {string} id */
export const elementById = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
export const sheet = () => /** @type {SheetElement} */ (elementById("lanes"));
export const boardElement = () => /** @type {BoardElement} */ (elementById("board"));
export const quarters = () => Number(sheet().dataset.quarters);

/** @param {number} step */
export function momentOf(step) {
  return new Date(new Date(sheet().dataset.start).getTime() + step * QUARTER_MS);
}

// when the visit would start there: in its own column it keeps its start, which may lie before the hours on show or off
// the quarter hour
/** @param {JobCard} card @param {number} step */
export function startAt(card, step) {
  return card.dataset.starts && step === stepOf(card) ? new Date(card.dataset.starts) : momentOf(step);
}

// from when to when it would be there
/** @param {JobCard} card @param {number} step */
export function timesAt(card, step) {
  const start = exactStep(card, step);
  return { from: clockOf(start), until: clockOf(start + Number(card.dataset.minutes) / 15) };
}

/** @param {JobCard} card @param {number} step */
const exactStep = (card, step) => (startAt(card, step).getTime() - momentOf(0).getTime()) / QUARTER_MS;

// from the hours that the server wrote, so that the site's zone counts, not the computer's; a visit may begin before them,
// and end after them
/** @param {number} step may lie between two quarters */
export function clockOf(step) {
  const hours = document.querySelectorAll(".hours li");
  const number = Math.floor(step / 4), known = Math.min(Math.max(0, number), hours.length - 1);
  const hour = (parseInt(hours[known].textContent.trim(), 10) + number - known + 24) % 24;
  return `${String(hour).padStart(2, "0")}:${String(Math.round((step - 4 * number) * 15)).padStart(2, "0")}`;
}

// what is before the hours on show is not drawn
/** @param {JobCard} card @param {number} step */
function widthAt(card, step) {
  const hidden = Math.max(0, Math.ceil(step - exactStep(card, step)));
  return Math.max(1, Math.ceil(Number(card.dataset.minutes) / 15) - hidden);
}

/** @param {JobCard} card */
export function stepOf(card) {
  const found = [...card.classList].find((name) => /^s\d+$/.test(name));
  return found ? Number(found.slice(1)) : null;
}

const PAST_SHARE = 1 / 3;

// where the day is wider than the window, the present hour is on show, with some of what was, from a full hour on
export function showNow() {
  const lanes = sheet();
  const line = lanes.querySelector("#now line")?.getBoundingClientRect();
  const name = lanes.querySelector(".lane-name")?.clientWidth ?? 0;
  const hour = (4 * (lanes.querySelector(".track")?.clientWidth ?? 0)) / quarters();
  if (!line || !hour) return;
  const now = lanes.scrollLeft + line.left - lanes.getBoundingClientRect().left - name;
  lanes.scrollLeft = Math.floor((now - (lanes.clientWidth - name) * PAST_SHARE) / hour) * hour;
}

/** @template {keyof HTMLElementTagNameMap} Tag @param {Tag} name @param {string} classes @param {string} [text] */
export function element(name, classes, text = "") {
  const made = document.createElement(name);
  made.className = classes;
  made.textContent = text;
  return made;
}

// shows where the job would be placed; `label` is its text, to the left of the job's end where `isLeftward`
/** @param {LaneElement} lane @param {number} step @param {JobCard} card @param {string} label @param {{ isLeftward?: boolean, check?: URL }} [options] */
export function showGhost(lane, step, card, label, { isLeftward = false, check = checkOf(lane, step, card) } = {}) {
  const track = lane.querySelector(".track");
  if (!track) return;
  endSoon();
  const ghost = document.getElementById("ghost") ?? made("ghost");
  ghost.className = `ghost s${step} w${widthAt(card, step)}${isLeftward ? " is-leftward" : ""}`;
  ghost.textContent = label;
  if (ghost.parentElement !== track) {
    track.append(ghost);
    if (card.dataset.window) showWindow(track, card.dataset.window);
  }
  checkSoon(ghost, check);
}

/** @param {Element} track @param {string} cells */
function showWindow(track, cells) {
  const band = document.getElementById("band") ?? made("band");
  band.className = `band ${cells}`;
  track.prepend(band);
}

/** @param {string} id */
function made(id) {
  const part = element("div", "");
  part.id = id;
  return part;
}

const CHECK_AFTER_MS = 150;
const TIMEOUT_MS = 8000;
let checkTimer = 0;

/** @param {LaneElement} lane @param {number} step @param {JobCard} card */
function checkOf(lane, step, card) {
  const url = new URL(`jobs/${encodeURIComponent(card.dataset.job)}/check`, new URL(boardElement().dataset.versionUrl, location.href));
  url.search = String(new URLSearchParams({ engineer: lane.dataset.engineer, starts_at: startAt(card, step).toISOString() }));
  return url;
}

// whether it fits there, asked when the card rests for a moment; the drop is checked again by the server
/** @param {HTMLElement} ghost @param {URL} url */
function checkSoon(ghost, url) {
  clearTimeout(checkTimer);
  const asked = setTimeout(async () => {
    const answer = await fetch(url, { headers: { Accept: "application/json" }, signal: AbortSignal.timeout(TIMEOUT_MS) }).then((found) => found.json(), () => null);
    // without a text it was not asked; moved on in the meantime: another check is on its way
    if (!answer?.text || asked !== checkTimer) return;
    const [look, mark] = answer.is_late ? ["is-late", "!"] : answer.fits ? ["is-fit", "✓"] : ["is-unfit", "✕"];
    ghost.classList.add(look);
    ghost.append(element("span", "ghost-check", `${mark} ${answer.text}`));
    document.dispatchEvent(new CustomEvent("board:checked", { detail: answer.text }));
  }, CHECK_AFTER_MS);
  checkTimer = asked;
}

export function hideGhost() {
  clearTimeout(checkTimer);
  checkTimer = 0;
  document.getElementById("ghost")?.remove();
  document.getElementById("band")?.remove();
}

const IDLE_MS = 60_000;
let idleTimer = 0;

// a move that rests so long was left, as when the telephone rings: whoever moves the card ends it
function endSoon() {
  clearTimeout(idleTimer);
  idleTimer = setTimeout(() => document.dispatchEvent(new CustomEvent("board:idle")), IDLE_MS);
}

// while a card is held, live_updates.js holds its updates back
/** @param {boolean} isHeld */
export function hold(isHeld) {
  if (isHeld) endSoon();
  else clearTimeout(idleTimer);
  boardElement().classList.toggle("is-held", isHeld);
  document.dispatchEvent(new CustomEvent(isHeld ? "board:held" : "board:free"));
}

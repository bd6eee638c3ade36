// The board without a mouse: arrows go from card to card, M moves one, P pins it, Delete puts it back to the waiting jobs.
import { assign, dismiss, isPinned, pin, announcePinned, unassign } from "./assign_api.js";
import { boardElement, elementById, hideGhost, hold, quarters, showGhost, startAt, stepOf, timesAt } from "./timeline.js";

/** @type {Record<string, number | undefined>} */
const STEPS_IN_ROW = { ArrowRight: 1, ArrowLeft: -1 };
/** @type {Record<string, number | undefined>} */
const STEPS_DOWN = { ArrowDown: 1, ArrowUp: -1 };

/** @param {Event} event */
const elementOf = (event) => /** @type {Element} */ (event.target);
const allLanes = () => [.../** @type {NodeListOf<LaneElement>} */ (document.querySelectorAll(".lane[data-engineer]:not([hidden])"))];
/** @param {JobCard} card */
const laneOf = (card) => /** @type {LaneElement} */ (card.closest(".lane"));
/** @param {Element} element @param {string} selector */
const cardsIn = (element, selector) => [.../** @type {NodeListOf<JobCard>} */ (element.querySelectorAll(selector))];

/** @param {AnnouncementElement} announcement */
export function start(announcement) {
  /** @type {BoardKeys} */
  const keys = { announcement, moving: null };
  boardElement().addEventListener("keydown", (event) => press(keys, event));
  // a move lasts as long as the keys go to its card: it holds the updates of the whole board back
  boardElement().addEventListener("focusout", () => cancel(keys));
  document.addEventListener("pointerdown", () => cancel(keys));
  document.addEventListener("board:idle", () => cancel(keys));
  // the context menu's
  document.addEventListener("board:move", (event) => begin(keys, /** @type {CustomEvent} */ (event).detail));
  document.addEventListener("board:checked", (event) => {
    if (!keys.moving) return;
    announcement.textContent = `${announcement.textContent} ${/** @type {CustomEvent} */ (event).detail}`;
    // the reason has made it longer
    scrollToGhost();
  });
}

/** @param {BoardKeys} keys @param {KeyboardEvent} event */
function press(keys, event) {
  if (elementOf(event).matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = keys.moving ? whileMoving(keys, keys.moving, event) : onCard(keys, event);
  if (!act) return;
  event.preventDefault();
  act();
}

/** @param {BoardKeys} keys @param {KeyboardEvent} event */
function onCard(keys, event) {
  const card = /** @type {JobCard | null} */ (elementOf(event).closest(".card"));
  // a key that is held down would be refused as another one's change
  if (!card || (event.repeat && !event.key.startsWith("Arrow"))) return null;
  const canMove = "canMove" in card.dataset, key = event.key.toLowerCase();
  if (["m", "delete"].includes(key) && isPinned(card)) return () => announcePinned(card);
  if (key === "escape" && !elementById("action-response").hidden) return () => dismiss(card.dataset.job);
  if (key === "m" && canMove) return () => begin(keys, card);
  if (key === "delete" && canMove && card.closest(".lane")) return () => unassign(card.dataset);
  if (key === "p" && card.dataset.pinned !== undefined) return () => pin(card.dataset);
  // with Shift they change the day (day_keys.js)
  if (event.key.startsWith("Arrow") && !event.shiftKey) return () => focusNext(card, event.key);
  return null;
}

/** @param {JobCard} card @param {string} key */
function focusNext(card, key) {
  const row = card.parentElement ? cardsIn(card.parentElement, ":scope > .card:not(.card-waiting.is-faded)") : [];
  const inRow = STEPS_IN_ROW[key];
  if (!card.closest(".lane")) return focus(row[row.indexOf(card) + (STEPS_DOWN[key] ?? 0)] ?? card);
  if (inRow) return focus(row[row.indexOf(card) + inRow]);
  const lanes = lanesWithCards();
  return focus(nearest(lanes[lanes.indexOf(laneOf(card)) + (key === "ArrowDown" ? 1 : -1)], card));
}

const lanesWithCards = () => allLanes().filter((lane) => lane.querySelector(".card"));

/** @param {LaneElement | undefined} lane @param {JobCard} card */
function nearest(lane, card) {
  /** @param {JobCard} other */
  const away = (other) => Math.abs((stepOf(other) ?? 0) - (stepOf(card) ?? 0));
  return lane && cardsIn(lane, ".card").sort((left, other) => away(left) - away(other))[0];
}

/** @param {JobCard | undefined} card */
const focus = (card) => card?.querySelector("a")?.focus();

/** @param {BoardKeys} keys @param {JobCard} card */
function begin(keys, card) {
  const lanes = allLanes();
  // next to the large map the rows are lists without a time axis
  if (!lanes.length || boardElement().classList.contains("layout-map")) return;
  elementById("action-response").hidden = true;
  const lane = Math.max(0, lanes.indexOf(laneOf(card)));
  const wanted = /\bs(\d+)\b/.exec(card.dataset.window ?? "");
  const moving = { card, lanes, lane, step: stepOf(card) ?? Number(wanted?.[1] ?? 0) };
  keys.moving = moving;
  card.classList.add("is-moving");
  hold(true);
  show(keys, moving, keys.announcement.dataset.moving.replace("{job}", card.dataset.title));
}

/** @param {BoardKeys} keys @param {CardMove} moving @param {KeyboardEvent} event */
function whileMoving(keys, moving, event) {
  const hour = event.shiftKey ? 4 : 1;
  /** @param {number} lanes @param {number} steps */
  const go = (lanes, steps) => () => {
    moving.lane = Math.min(Math.max(0, moving.lane + lanes), moving.lanes.length - 1);
    moving.step = Math.min(Math.max(0, moving.step + steps), quarters() - 1);
    show(keys, moving);
  };
  /** @type {Record<string, () => void>} */
  const acts = {
    ArrowUp: go(-1, 0),
    ArrowDown: go(1, 0),
    ArrowLeft: go(0, -hour),
    ArrowRight: go(0, hour),
    Enter: () => end(keys, moving, true),
    Escape: () => end(keys, moving, false),
  };
  return acts[event.key];
}

/** @param {BoardKeys} keys @param {CardMove} moving @param {string} [first] */
function show(keys, { card, lanes, lane, step }, first = "") {
  const where = keys.announcement.dataset.at.replace("{engineer}", lanes[lane].dataset.name).replace("{time}", timesAt(card, step).from);
  showGhost(lanes[lane], step, card, where, { isLeftward: step > quarters() / 2 });
  scrollToGhost();
  keys.announcement.textContent = `${first} ${where}`.trim();
}

/** @param {BoardKeys} keys */
const cancel = (keys) => keys.moving && end(keys, keys.moving, false);

const scrollToGhost = () => elementById("ghost").scrollIntoView({ block: "nearest", inline: "nearest" });

/** @param {BoardKeys} keys @param {CardMove} moving @param {boolean} isDropped */
function end(keys, { card, lanes, lane, step }, isDropped) {
  keys.moving = null;
  card.classList.remove("is-moving");
  hideGhost();
  hold(false);
  if (isDropped) assign(card.dataset, lanes[lane].dataset.engineer, startAt(card, step).toISOString());
  else keys.announcement.textContent = keys.announcement.dataset.cancelled;
}

// Drag and drop with a mouse or pen: a card onto an engineer and a quarter hour, or back to the waiting jobs.
// A finger scrolls instead; it has the side panel.
import { assign, changeJobs, checkOfJobs, isPinned, announcePinned, unassign } from "./assign_api.js";
import { deselect, isSelected, selectedCards } from "./selected_jobs.js";
import { boardElement, clockOf, elementById, hideGhost, hold, momentOf, quarters, sheet, showGhost, showNow, startAt, stepOf, timesAt } from "./timeline.js";

const FAR_ENOUGH_PX = 6;
const EDGE_PX = 48;
const STEP_PX = 16;

export function start() {
  boardElement().addEventListener("pointerdown", (event) => take(event));
  showNow();
}

/** @param {PointerEvent} event */
function take(event) {
  const card = /** @type {JobCard | null} */ (/** @type {Element} */ (event.target).closest(".card"));
  if (!card || !("canMove" in card.dataset || isPinned(card)) || event.button !== 0 || event.pointerType === "touch") return;
  /** @type {CardDrag} */
  const drag = { card, from: [event.clientX, event.clientY], grip: gripOf(card, event), begun: false, target: null };
  /** @param {PointerEvent} moved */
  const move = (moved) => follow(drag, moved);
  /** @param {Event} dropped */
  const end = (dropped) => {
    document.removeEventListener("scroll", forgetGeometry, true);
    document.removeEventListener("pointermove", move);
    document.removeEventListener("pointerup", end);
    document.removeEventListener("pointercancel", end);
    document.removeEventListener("board:idle", end);
    document.removeEventListener("keydown", escape, true);
    finish(drag, dropped.type === "pointerup");
  };
  /** @param {KeyboardEvent} key */
  const escape = (key) => {
    if (key.key !== "Escape") return;
    key.preventDefault();
    end(key);
  };
  document.addEventListener("scroll", forgetGeometry, true);
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerup", end);
  document.addEventListener("pointercancel", end);
  document.addEventListener("board:idle", end);
  document.addEventListener("keydown", escape, true);
}

// in quarters from the card's left edge, so that a card does not jump when it is taken in the middle
/** @param {JobCard} card @param {PointerEvent} event */
function gripOf(card, event) {
  const track = card.closest(".track");
  return track ? Math.floor((event.clientX - card.getBoundingClientRect().left) / quarterWidth(track)) : 0;
}

/** @param {Element} track */
const quarterWidth = (track) => track.getBoundingClientRect().width / quarters();

/** @param {CardDrag} drag @param {PointerEvent} event */
function follow(drag, event) {
  const [x, y] = drag.from;
  if (!drag.begun && Math.hypot(event.clientX - x, event.clientY - y) < FAR_ENOUGH_PX) return;
  if (!drag.begun) begin(drag);
  event.preventDefault();
  if (isPinned(drag.card)) return;
  scrollAtEdge(event);
  show(drag, targetAt(drag, event));
}

/** @param {CardDrag} drag */
function begin(drag) {
  drag.begun = true;
  if (isPinned(drag.card)) return announcePinned(drag.card);
  forgetGeometry();
  elementById("action-response").hidden = true;
  drag.card.classList.add("is-moving");
  hold(true);
}

// only what is different from the last move is written
/** @param {CardDrag} drag @param {CardDrag["target"]} target */
function show(drag, target) {
  const { target: before, card } = drag;
  if (before?.lane === target?.lane && before?.step === target?.step && before?.waiting === target?.waiting) return;
  drag.target = target;
  const [left, reached] = [elementOf(before), elementOf(target)];
  if (left !== reached) left?.classList.remove("is-target");
  reached?.classList.add("is-target");
  if (!target?.lane) return hideGhost();
  if (isSelection(card)) return showGhost(target.lane, target.step, card, severalText(target.lane, target.step), { isLeftward: target.isLeftward, check: checkSelected(target.lane, target.step) });
  const { from, until } = timesAt(card, target.step);
  const label = `${target.lane.dataset.name} ${from}–${until}`;
  showGhost(target.lane, target.step, card, label, { isLeftward: target.isLeftward });
}

/** @param {JobCard} card */
const isSelection = (card) => isSelected(card) && selectedCards().length > 1;

// only the first of them may begin at the hour under the pointer
/** @param {LaneElement} lane @param {number} step */
function severalText(lane, step) {
  const number = String(selectedCards().length);
  const text = sheet().dataset.several.replace("{number}", number).replace("{time}", clockOf(step));
  return `${lane.dataset.name}: ${text}`;
}

/** @param {LaneElement} lane @param {number} step */
const checkSelected = (lane, step) => checkOfJobs(selectedCards(), lane.dataset.engineer, momentOf(step).toISOString());

/** @param {CardDrag["target"]} target */
const elementOf = (target) => target?.lane ?? target?.waiting;

/** @param {CardDrag} drag @param {boolean} isDropped */
function finish(drag, isDropped) {
  if (!drag.begun) return;
  swallowClick();
  if (isPinned(drag.card)) return;
  drag.card.classList.remove("is-moving");
  elementOf(drag.target)?.classList.remove("is-target");
  hideGhost();
  if (isDropped) drop(drag);
  hold(false);
}

// the click that follows a drop must not open the panel; there is none when the drop was elsewhere
function swallowClick() {
  /** @param {Event} click */
  const swallow = (click) => {
    click.preventDefault();
    click.stopPropagation();
  };
  document.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => document.removeEventListener("click", swallow, { capture: true }), 0);
}

/** @param {CardDrag} drag */
function drop({ card, target }) {
  if (isSelection(card)) return void dropSelected(target);
  const isPlaced = Boolean(card.closest(".lane"));
  if (target?.waiting && isPlaced) unassign(card.dataset);
  const same = target?.lane && card.closest(".lane") === target.lane && stepOf(card) === target.step;
  if (target?.lane && !same) assign(card.dataset, target.lane.dataset.engineer, startAt(card, target.step).toISOString());
}

// the whole selection: one after another from that hour on, each as soon as the engineer can be there
/** @param {CardDrag["target"]} target */
async function dropSelected(target) {
  const cards = selectedCards();
  if (target?.lane) deselect(cards, await changeJobs(cards, "reassign", target.lane.dataset.engineer, momentOf(target.step).toISOString()));
  else if (target?.waiting) deselect(cards, await changeJobs(cards.filter((card) => card.closest(".lane")), "unassign"));
}

// --- where the card would be dropped. The rows are measured when a drag begins and after a scroll; a move of the pointer is
// arithmetic, so that it never makes the browser lay out the day between two frames ---

/** @type {BoardGeometry | null} */
let measured = null;

function forgetGeometry() {
  measured = null;
}

/** @param {CardDrag} drag @param {PointerEvent} event @returns {CardDrag["target"]} */
function targetAt(drag, { clientX: x, clientY: y }) {
  const { waiting, lanes, axis, names, hours, rows } = geometry();
  if (contains(waiting, x, y)) return { waiting: /** @type {HTMLElement} */ (document.querySelector(".waiting")) };
  // a row's head lies over hours that are scrolled away: it is no time
  if (!contains(lanes, x, y) || x < names || y < hours) return null;
  const row = rows.find(({ top, bottom }) => y >= top && y < bottom);
  if (!row) return null;
  const raw = Math.floor((x - axis.left) / (axis.width / quarters())) - drag.grip;
  const isLeftward = x > (names + lanes.right) / 2;
  return { lane: row.lane, step: Math.min(Math.max(0, raw), quarters() - 1), isLeftward };
}

/** @param {PointerEvent} event */
function scrollAtEdge({ clientX, clientY, movementX }) {
  const { lanes, names } = geometry();
  const { left, top, right, bottom } = lanes;
  if (clientX < left) return;
  const down = clientY > bottom - EDGE_PX ? STEP_PX : clientY < top + EDGE_PX ? -STEP_PX : 0;
  // a card from the unassigned jobs only passes the row heads
  const isBack = movementX <= 0 && clientX >= names && clientX < names + EDGE_PX;
  const along = clientX > right - EDGE_PX ? STEP_PX : isBack ? -STEP_PX : 0;
  if (!down && !along) return;
  elementById("lanes").scrollBy(along, down);
  forgetGeometry();
}

/** @returns {BoardGeometry} */
function geometry() {
  measured ??= measure();
  return measured;
}

/** @returns {BoardGeometry} */
function measure() {
  const board = elementById("lanes");
  /** @param {string} selector */
  const rectOf = (selector) => board.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
  const lanes = board.getBoundingClientRect();
  const hours = rectOf(".lane-head .track");
  // next to the large map the rows are lists, without hours above them
  const isTimeline = hours.width > 0;
  return {
    lanes,
    waiting: document.querySelector(".waiting")?.getBoundingClientRect() ?? new DOMRect(),
    axis: isTimeline ? hours : lanes,
    names: isTimeline ? rectOf(".lane-head .lane-name").right : lanes.left,
    hours: isTimeline ? hours.bottom : lanes.top,
    rows: [.../** @type {NodeListOf<LaneElement>} */ (board.querySelectorAll(".lane[data-engineer]:not([hidden])"))].map(rowOf),
  };
}

/** @param {LaneElement} lane */
function rowOf(lane) {
  const { top, bottom } = lane.getBoundingClientRect();
  return { lane, top, bottom };
}

/** @param {DOMRect} rect @param {number} x @param {number} y */
const contains = ({ left, right, top, bottom }, x, y) => x >= left && x < right && y >= top && y < bottom;

// Drag and drop with a mouse or pen: a card onto an engineer and a quarter hour, or back to the waiting jobs.
// A finger scrolls instead; it has the side panel.
import { assign, changeJobs, unassign } from "./assign_api.js";
import { clear, isSelected, selectedCards } from "./selected_jobs.js";
import { boardElement, clockOf, elementById, hideGhost, hold, momentOf, quarters, showGhost, showNow, stepOf, widthOf } from "./timeline.js";

const FAR_ENOUGH_PX = 6;
const EDGE_PX = 48;

export function start() {
  boardElement().addEventListener("pointerdown", (event) => take(event));
  showNow();
}

/** @param {PointerEvent} event */
function take(event) {
  const card = /** @type {JobCard | null} */ (/** @type {Element} */ (event.target).closest(".card[data-can-move]"));
  if (!card || event.button !== 0 || event.pointerType === "touch") return;
  /** @type {CardDrag} */
  const drag = { card, from: [event.clientX, event.clientY], grip: gripOf(card, event), begun: false, target: null };
  /** @param {PointerEvent} moved */
  const move = (moved) => follow(drag, moved);
  /** @param {Event} dropped */
  const end = (dropped) => {
    document.removeEventListener("pointermove", move);
    document.removeEventListener("pointerup", end);
    document.removeEventListener("pointercancel", end);
    document.removeEventListener("keydown", escape, true);
    finish(drag, dropped.type === "pointerup");
  };
  /** @param {KeyboardEvent} key */
  const escape = (key) => key.key === "Escape" && end(key);
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerup", end);
  document.addEventListener("pointercancel", end);
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
  scrollAtEdge(event);
  drag.target = targetAt(drag, event);
  show(drag);
}

/** @param {CardDrag} drag */
function begin(drag) {
  drag.begun = true;
  elementById("action-response").hidden = true;
  drag.card.classList.add("is-moving");
  hold(true);
}

/** @param {CardDrag} drag @param {PointerEvent} event @returns {CardDrag["target"]} */
function targetAt(drag, event) {
  const under = document.elementFromPoint(event.clientX, event.clientY);
  const waiting = /** @type {HTMLElement | null | undefined} */ (under?.closest(".waiting"));
  if (waiting) return { waiting };
  const lane = /** @type {LaneElement | null | undefined} */ (under?.closest(".lane[data-engineer]"));
  const track = lane?.querySelector(".track");
  // a row's head lies over hours that are scrolled away: it is no time
  if (!lane || !track || under?.closest(".lane-name")) return null;
  const raw = Math.floor((event.clientX - track.getBoundingClientRect().left) / quarterWidth(track)) - drag.grip;
  return { lane, step: Math.min(Math.max(0, raw), quarters() - 1) };
}

/** @param {CardDrag} drag */
function show(drag) {
  for (const old of document.querySelectorAll(".is-target")) old.classList.remove("is-target");
  hideGhost();
  const { target, card } = drag;
  if (target?.lane) {
    const until = target.step + widthOf(card);
    showGhost(target.lane, target.step, card, `${target.lane.dataset.name} ${clockOf(target.step)}–${until < quarters() ? clockOf(until) : ""}`);
  }
  (target?.lane ?? target?.waiting)?.classList.add("is-target");
}

/** @param {PointerEvent} event */
function scrollAtEdge(event) {
  const lanes = elementById("lanes");
  const { top, bottom, left, right } = lanes.getBoundingClientRect();
  if (event.clientX < left) return;
  if (event.clientY > bottom - EDGE_PX) lanes.scrollTop += 16;
  if (event.clientY < top + EDGE_PX) lanes.scrollTop -= 16;
  if (event.clientX > right - EDGE_PX) lanes.scrollLeft += 16;
}

/** @param {CardDrag} drag @param {boolean} isDropped */
function finish(drag, isDropped) {
  if (!drag.begun) return;
  drag.card.classList.remove("is-moving");
  for (const old of document.querySelectorAll(".is-target")) old.classList.remove("is-target");
  hideGhost();
  swallowClick();
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
  if (isSelected(card) && selectedCards().length > 1) return dropSelected(target);
  const isPlaced = Boolean(card.closest(".lane"));
  if (target?.waiting && isPlaced) unassign(card.dataset);
  const same = target?.lane && card.closest(".lane") === target.lane && stepOf(card) === target.step;
  if (target?.lane && !same) assign(card.dataset, target.lane.dataset.engineer, momentOf(target.step).toISOString());
}

// the whole selection: each job at the first time at which the engineer can be there
/** @param {CardDrag["target"]} target */
function dropSelected(target) {
  const cards = selectedCards();
  if (target?.lane) changeJobs(cards, "reassign", target.lane.dataset.engineer);
  else if (target?.waiting) changeJobs(cards.filter((card) => card.closest(".lane")), "unassign");
  if (target) clear();
}

// Drag and drop with a mouse or pen: a card onto an engineer and a quarter hour, or back to the waiting jobs.
// A finger scrolls instead; it has the side panel.
import { assign, unassign } from "./assign_api.js";
import { clockOf, hideGhost, hold, momentOf, quarters, showGhost, stepOf, widthOf } from "./timeline.js";

const FAR_ENOUGH_PX = 6;
const EDGE_PX = 48;

export function start() {
  const board = document.getElementById("board");
  board.addEventListener("pointerdown", (event) => take(event));
}

function take(event) {
  const card = event.target.closest(".card[data-can-move]");
  if (!card || event.button !== 0 || event.pointerType === "touch") return;
  const drag = { card, from: [event.clientX, event.clientY], grip: gripOf(card, event), begun: false, target: null };
  const move = (moved) => follow(drag, moved);
  const end = (dropped) => {
    document.removeEventListener("pointermove", move);
    document.removeEventListener("pointerup", end);
    document.removeEventListener("pointercancel", end);
    document.removeEventListener("keydown", escape, true);
    finish(drag, dropped.type === "pointerup");
  };
  const escape = (key) => key.key === "Escape" && end(key);
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerup", end);
  document.addEventListener("pointercancel", end);
  document.addEventListener("keydown", escape, true);
}

// in quarters from the card's left edge, so that a card does not jump when it is taken in the middle
function gripOf(card, event) {
  const track = card.closest(".track");
  return track ? Math.floor((event.clientX - card.getBoundingClientRect().left) / quarterWidth(track)) : 0;
}

const quarterWidth = (track) => track.getBoundingClientRect().width / quarters();

function follow(drag, event) {
  const [x, y] = drag.from;
  if (!drag.begun && Math.hypot(event.clientX - x, event.clientY - y) < FAR_ENOUGH_PX) return;
  if (!drag.begun) begin(drag);
  event.preventDefault();
  scrollAtEdge(event);
  drag.target = targetAt(drag, event);
  show(drag);
}

function begin(drag) {
  drag.begun = true;
  document.getElementById("answer").hidden = true;
  drag.card.classList.add("is-moving");
  hold(true);
}

function targetAt(drag, event) {
  const under = document.elementFromPoint(event.clientX, event.clientY);
  if (under?.closest(".waiting")) return { waiting: under.closest(".waiting") };
  const lane = under?.closest(".lane[data-engineer]");
  if (!lane) return null;
  const track = lane.querySelector(".track");
  const raw = Math.floor((event.clientX - track.getBoundingClientRect().left) / quarterWidth(track)) - drag.grip;
  return { lane, step: Math.min(Math.max(0, raw), quarters() - 1) };
}

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

function scrollAtEdge(event) {
  const lanes = document.getElementById("lanes");
  const { top, bottom, left, right } = lanes.getBoundingClientRect();
  if (event.clientX < left) return;
  if (event.clientY > bottom - EDGE_PX) lanes.scrollTop += 16;
  if (event.clientY < top + EDGE_PX) lanes.scrollTop -= 16;
  if (event.clientX > right - EDGE_PX) lanes.scrollLeft += 16;
}

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
  const swallow = (click) => {
    click.preventDefault();
    click.stopPropagation();
  };
  document.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => document.removeEventListener("click", swallow, { capture: true }), 0);
}

function drop({ card, target }) {
  const isPlaced = Boolean(card.closest(".lane"));
  if (target?.waiting && isPlaced) unassign(card.dataset);
  const same = target?.lane && card.closest(".lane") === target.lane && stepOf(card) === target.step;
  if (target?.lane && !same) assign(card.dataset, target.lane.dataset.engineer, momentOf(target.step).toISOString());
}

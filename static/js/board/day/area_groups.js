// The groups of the board, one for each area: closed and opened by their heading, remembered in this browser.

import { readJson, writeJson } from "../stored_json.js";

const KEY = "board-closed-areas";

/** @param {HTMLElement} middle */
export function start(middle) {
  middle.addEventListener("click", (event) => toggle(middle, event));
  document.addEventListener("board:swapped", () => apply(middle));
  apply(middle);
}

/** @param {HTMLElement} middle @param {MouseEvent} event */
function toggle(middle, event) {
  const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-toggle-area]"));
  const area = button?.dataset.toggleArea;
  if (!area) return;
  const closed = closedAreas();
  if (!closed.delete(area)) closed.add(area);
  writeJson(localStorage, KEY, [...closed]);
  apply(middle);
}

/** @param {HTMLElement} middle */
function apply(middle) {
  const closed = closedAreas();
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (middle.querySelectorAll("[data-toggle-area]"))) {
    button.setAttribute("aria-expanded", String(!closed.has(button.dataset.toggleArea ?? "")));
  }
  for (const lane of /** @type {NodeListOf<HTMLElement>} */ (middle.querySelectorAll("[data-lane-area]"))) {
    lane.hidden = closed.has(lane.dataset.laneArea ?? "");
  }
  document.dispatchEvent(new CustomEvent("board:filtered"));
}

/** @returns {Set<string>} */
const closedAreas = () => new Set(readJson(localStorage, KEY, []));

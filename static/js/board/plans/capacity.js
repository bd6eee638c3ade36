// The table of capacity: the skills of an area are opened and closed by its heading, remembered in this browser.

import { readJson, writeJson } from "../stored_json.js";

const KEY = "capacity-open-areas";

/** @param {HTMLElement} table */
export function start(table) {
  table.addEventListener("click", (event) => toggle(table, event));
  apply(table);
}

/** @param {HTMLElement} table @param {MouseEvent} event */
function toggle(table, event) {
  const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-toggle-skills]"));
  const id = button?.getAttribute("aria-controls");
  if (!id) return;
  const opened = openedAreas();
  if (!opened.delete(id)) opened.add(id);
  writeJson(localStorage, KEY, [...opened]);
  apply(table);
}

/** @param {HTMLElement} table */
function apply(table) {
  const opened = openedAreas();
  for (const button of table.querySelectorAll("[data-toggle-skills]")) {
    const id = button.getAttribute("aria-controls") ?? "";
    button.setAttribute("aria-expanded", String(opened.has(id)));
    document.getElementById(id)?.classList.toggle("is-open", opened.has(id));
  }
}

/** @returns {Set<string>} */
const openedAreas = () => new Set(readJson(localStorage, KEY, []));

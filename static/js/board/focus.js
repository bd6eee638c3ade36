// Where the focus goes when parts of the page are replaced, or when what had it closes: somebody who works by keyboard
// continues where they were, and not at the top of the page.

const FOCUSABLE = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";

/** @typedef {{ id: string, key: string, index: number }} FocusPosition in the element of this id */

/** @param {() => void} change */
export function keepingFocus(change) {
  const focused = document.activeElement;
  const positions = focused ? positionsOf(focused) : [];
  change();
  if (focused?.isConnected === false) positions.some(focusAt);
}

// To the card of a job, or the name of an engineer; to the rows where there is none.
/** @param {string} chosen a job, or a staff number @param {FocusOptions} [options] */
export function focusCard(chosen, options) {
  const found = document.getElementById(`card-${chosen}`) ?? document.getElementById(`lane-${chosen}`);
  const link = found?.querySelector("a");
  link?.focus(options);
  // a filter may hide it
  if (!link || document.activeElement !== link) document.getElementById("lanes")?.focus(options);
}

// The innermost element with an id first: it may be gone by then, such as the card of a job that was moved to another day.
/** @param {Element} focused @returns {FocusPosition[]} */
function positionsOf(focused) {
  const positions = [];
  for (let element = focused.closest("[id]"); element; element = element.parentElement?.closest("[id]") ?? null) {
    positions.push({ id: element.id, key: keyOf(focused), index: element === focused ? -1 : focusablesIn(element).indexOf(focused) });
  }
  return positions;
}

// Whether it found something: the same control, or a link in its place or the first. A button in its place does something
// else, or the same to somebody else: whoever presses Enter by then would end the alarm of another engineer.
/** @param {FocusPosition} position */
function focusAt({ id, key, index }) {
  const element = document.getElementById(id);
  if (!element) return false;
  const all = focusablesIn(element);
  const same = all.find((control) => keyOf(control) === key);
  const found = index < 0 ? element : (same ?? [all[index], ...all].find((control) => control?.matches("a[href], summary")));
  /** @type {HTMLElement | undefined} */ (found)?.focus({ preventScroll: true });
  return found !== undefined && document.activeElement === found;
}

/** @param {Element} root */
const focusablesIn = (root) => [...root.querySelectorAll(FOCUSABLE)].filter((element) => !element.matches(":disabled") && element.checkVisibility());

// What a control without an id of its own does; a plan's version, which each change gives another value, is no part of it.
/** @param {Element} control */
function keyOf(control) {
  const attributes = ["id", "href", "formaction", "name", "value"].map((name) => control.getAttribute(name) ?? "");
  const action = control.closest("form")?.getAttribute("action") ?? "";
  return [control.nodeName, ...attributes, action].join(" ");
}

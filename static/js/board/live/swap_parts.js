// The parts of the board (`data-part`) as a fresh page, or the stream, brings them. A half-filled part stays as it is, unless
// something else was chosen, or its reader has just changed something: then what was typed is put into the fresh one.
import { fieldValue, isBeingFilledIn, putBack, typedIn } from "../forms/filled_in.js";

/** @typedef {{ mustFit?: boolean, takesFocus?: boolean }} Renewal */

/** @type {Map<HTMLElement, Renewal>} */
const renewals = new Map();

// The next page replaces this part although somebody is filling it in; with `mustFit` only where that has a field for all
// that was typed. `takesFocus` where nothing else has the focus by then.
/** @param {HTMLElement} part @param {Renewal} [renewal] */
export function renew(part, renewal = {}) {
  renewals.set(part, renewal);
}

// `isLatest`: nothing has changed since the page was asked for. Returns the parts that are not as the page has them.
/** @param {Document} page @param {boolean} isLatest @returns {HTMLElement[]} */
export function swapParts(page, isLatest) {
  const skipped = [];
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-part]"))) {
    const fresh = page.getElementById(part.id);
    if (!fresh) continue;
    const isSame = bare(fresh) === bare(part), renewal = renewals.get(part);
    const isReplaced = !isSame && mayReplace(part, fresh, renewal);
    if (isReplaced) replace(part, fresh, renewal);
    else if (!isSame) skipped.push(part);
    renewals.delete(part);
    if (renewal && !isLatest) renew(isReplaced ? fresh : part, renewal);
  }
  return skipped;
}

/** @param {HTMLElement} part @param {HTMLElement} fresh @param {Renewal} [renewal] */
function mayReplace(part, fresh, renewal) {
  const isAskedFor = part.dataset.job !== fresh.dataset.job || part.dataset.unfit !== fresh.dataset.unfit;
  if (isAskedFor || !isBeingFilledIn(part)) return true;
  return renewal !== undefined && (!renewal.mustFit || typedIn(part).every((field) => fieldIn(fresh, field)));
}

/** @param {HTMLElement} part @param {HTMLElement} fresh @param {Renewal} [renewal] */
function replace(part, fresh, renewal) {
  const isSameJob = part.dataset.job === fresh.dataset.job, scrolled = part.scrollTop;
  const typed = isSameJob && isBeingFilledIn(part) ? typedIn(part) : [];
  part.replaceWith(fresh);
  fresh.scrollTop = scrolled;
  for (const field of typed) putBack(fieldValue(field), fieldIn(fresh, field));
  if (renewal?.takesFocus && document.activeElement === document.body) /** @type {HTMLElement | null} */ (fresh.querySelector("a, button"))?.focus({ preventScroll: true });
}

/** @param {HTMLElement} fresh @param {Field} field @returns {Field | null} */
const fieldIn = (fresh, { id }) => (id ? fresh.querySelector(`#${CSS.escape(id)}`) : null);

// what the page adds automatically, or what is new in every answer, is no difference
/** @param {HTMLElement} part */
export function bare(part) {
  const copy = /** @type {HTMLElement} */ (part.cloneNode(true));
  copy.classList.remove("is-chosen", "is-target");
  copy.hidden = false;
  for (const card of copy.querySelectorAll(".card")) card.classList.remove("is-chosen", "is-faded", "is-selected");
  for (const button of copy.querySelectorAll("[aria-pressed], [aria-expanded]")) setStateless(button);
  for (const number of copy.querySelectorAll("[data-matching]")) number.removeAttribute("data-matching");
  for (const details of copy.querySelectorAll("details")) details.removeAttribute("open");
  for (const presence of copy.querySelectorAll(".presence")) presence.remove();
  for (const token of copy.querySelectorAll("[name=csrfmiddlewaretoken], [name=note_id]")) token.remove();
  return copy.outerHTML;
}

/** @param {Element} button */
function setStateless(button) {
  for (const name of ["aria-pressed", "aria-expanded"]) button.removeAttribute(name);
}

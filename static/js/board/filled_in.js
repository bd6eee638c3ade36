// Whether somebody is filling a part of the page in: a field of it has the focus, or is not as the page brought it. The
// fields of a part with `data-restored` are set again by their own script after it was replaced.

const FIELDS = "input, select, textarea";

/** @param {Element} part */
export function isBeingFilledIn(part) {
  const focused = document.activeElement;
  const isFocused = Boolean(focused?.matches(FIELDS) && part.contains(focused));
  return isFocused || (!part.matches("[data-restored]") && typedIn(part).length > 0);
}

/** @param {Element} part @returns {Field[]} */
export const typedIn = (part) => /** @type {Field[]} */ ([...part.querySelectorAll(FIELDS)]).filter(isChanged);

/** @param {Field} field */
function isChanged(field) {
  if (field instanceof HTMLSelectElement) return field.selectedIndex !== Math.max(0, [...field.options].findLastIndex((option) => option.defaultSelected));
  if (field instanceof HTMLInputElement && field.matches("[type=checkbox], [type=radio]")) return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}

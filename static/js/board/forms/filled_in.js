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

/** @typedef {{ value: string, checked?: boolean | undefined }} FieldValue */

/** @param {Field} field @returns {FieldValue} */
export const fieldValue = (field) => ({ value: field.value, checked: field instanceof HTMLInputElement ? field.checked : undefined });

// What was typed into a field of an earlier page, in the same field of this one. False where it cannot be.
/** @param {FieldValue} old @param {Field | null | undefined} field @returns {boolean} */
export function putBack({ value, checked }, field) {
  if (!field) return false;
  // who was chosen may no longer be offered
  if (field instanceof HTMLSelectElement && ![...field.options].some((option) => option.value === value)) return false;
  field.value = value;
  if (field instanceof HTMLInputElement && checked !== undefined) field.checked = checked;
  field.closest("details")?.setAttribute("open", "");
  return true;
}

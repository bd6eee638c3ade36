// The forms on their way: those that load a page (double_submit.js) and those of the panel (panel_forms.js) together, since
// a first click may come before the panel's own script is there.

/** @type {Set<HTMLFormElement>} */
export const sentForms = new Set();

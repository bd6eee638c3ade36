// The button that was pressed is replaced by what it has done: the focus goes on to the large button, and not to the top of
// the page.

/** @param {HTMLElement[]} parts */
export const focusedIn = (parts) => (parts.some((part) => part.contains(document.activeElement)) ? document.activeElement : null);

// Nothing has the focus, such as after the pressed button was disabled.
export const isFocusLost = () => document.activeElement === document.body;

// After the parts were replaced: a field that is in the fresh content, too, has the focus again.
/** @param {Element | null} focused @param {HTMLElement} bar */
export function returnFocus(focused, bar) {
  if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
  else if (focused) focusMainButton(bar);
}

/** @param {HTMLElement} bar */
export function focusMainButton(bar) {
  /** @type {HTMLElement | null} */ (bar.querySelector(".main-button"))?.focus({ preventScroll: true });
}

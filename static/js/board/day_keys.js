// From day to day by keys, wherever nobody is typing or moving a card: T, and Shift with an arrow.

/** @param {HTMLElement} nav */
export function start(nav) {
  document.addEventListener("keydown", (event) => press(nav, event));
}

/** @param {HTMLElement} nav @param {KeyboardEvent} event */
function press(nav, event) {
  const { target } = event;
  const isTyping = target instanceof Element && target.matches("input, select, textarea");
  if (isTyping || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector(".is-held")) return;
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const name = event.shiftKey && key.startsWith("Arrow") ? `Shift+${key}` : key;
  /** @type {HTMLAnchorElement | null} */
  const link = nav.querySelector(`[data-key="${CSS.escape(name)}"]`);
  if (!link) return;
  event.preventDefault();
  link.click();
}

// From day to day in the view of this page, also by keys wherever nobody is typing or moving a card: T, and Shift with an
// arrow.
import { inView } from "./own_view.js";

/** @param {HTMLElement} nav */
export function start(nav) {
  document.addEventListener("keydown", (event) => press(nav, event));
  nav.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link) link.href = inView(link.href, nav.dataset.view ?? "");
  });
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

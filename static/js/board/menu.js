// A menu of the header closes by Escape, back on its button, and by a press elsewhere.

/** @param {HTMLDetailsElement} menu */
export function start(menu) {
  document.addEventListener("pointerdown", (event) => {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  });
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    // nothing else is closed by the same press
    event.preventDefault();
    menu.open = false;
    menu.querySelector("summary")?.focus();
  };
  document.addEventListener("keydown", press, { capture: true });
}

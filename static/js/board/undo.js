// Undo and redo without loading the page: the forms of the buttons, Ctrl+Z, and Ctrl+Y or Ctrl+Shift+Z.
import { sendForm } from "./assign_api.js";

export function start() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches("[data-repeat]")) return;
    event.preventDefault();
    sendForm(form);
  });
  document.addEventListener("keydown", press);
}

/** @param {KeyboardEvent} event */
function press(event) {
  const isTyping = event.target instanceof Element && event.target.matches("input, select, textarea");
  if (isTyping || event.altKey || !(event.ctrlKey || event.metaKey)) return;
  const key = event.key.toLowerCase();
  const name = key === "y" || (key === "z" && event.shiftKey) ? "redo" : key === "z" && "undo";
  if (!name) return;
  event.preventDefault();
  /** @type {HTMLFormElement | null} */ (document.querySelector(`form[data-repeat=${name}]`))?.requestSubmit();
}

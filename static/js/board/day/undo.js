// Undo and redo without loading the page: the forms of the buttons, Ctrl+Z, and Ctrl+Y or Ctrl+Shift+Z. The message with
// the way back leaves by itself, by its button or by Escape, and is shown by one page only.
import { announce, textOf } from "../announce.js";
import { sendForm } from "./assign_api.js";
import { readJson, writeJson } from "../stored_json.js";
import { sheet } from "./timeline.js";

const SHOWN_MS = 15_000;
const CLOSED_NOTICE = "board-undo-shown";

/** @type {{ shown: string, closed: string }} what this page shows, and what it shows no more */
const notice = { shown: "", closed: "" };

// the board offers a change again until it shows that it is undone: sent twice, the second would be refused
/** @type {{ sent: string, waiting: string[] }} the change that was sent, and the keys that were pressed after it */
const steps = { sent: "", waiting: [] };

export function start() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches("[data-repeat]")) return;
    if (steps.sent) return event.preventDefault();
    // where nothing shows a refusal, the page that comes does: the week
    if (!document.getElementById("action-response")) return;
    event.preventDefault();
    send(form);
  });
  document.addEventListener("click", (event) => event.target instanceof Element && event.target.closest("[data-close-notice]") && close());
  document.addEventListener("keydown", press);
  document.addEventListener("board:swapped", () => {
    showNotice();
    if (!offeredChanges().includes(steps.sent)) sendNext();
  });
  notice.closed = readJson(sessionStorage, CLOSED_NOTICE, "");
  showNotice();
}

/** @returns {HTMLFormElement | null} */
const noticeForm = () => document.querySelector("#undo form");

/** @param {HTMLFormElement} form */
const changeOf = (form) => `${form.getAttribute("action")} ${new FormData(form).get("change")}`;
const offeredChanges = () => [.../** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-repeat]"))].map(changeOf);

function showNotice() {
  const form = noticeForm();
  const name = form ? changeOf(form) : "";
  if (form) form.hidden = name === notice.closed;
  // only where this script is
  form?.querySelector("[data-close-notice]")?.removeAttribute("hidden");
  if (!name || name === notice.shown || name === notice.closed) return;
  Object.assign(notice, { shown: name, closed: "" });
  if (form) announce(textOf(form));
  // a page that is loaded after this one does not say it again
  writeJson(sessionStorage, CLOSED_NOTICE, name);
  setTimeout(() => notice.shown === name && close(), SHOWN_MS);
}

function close() {
  const form = noticeForm();
  const hadFocus = form?.contains(document.activeElement);
  notice.closed = notice.shown;
  if (form) form.hidden = true;
  if (hadFocus) sheet().focus();
}

/** @param {KeyboardEvent} event */
function press(event) {
  const isTyping = event.target instanceof Element && event.target.matches("input, select, textarea");
  if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector(".is-held")) close();
  if (isTyping || event.altKey || !(event.ctrlKey || event.metaKey)) return;
  const key = event.key.toLowerCase();
  const name = key === "y" || (key === "z" && event.shiftKey) ? "redo" : key === "z" && "undo";
  if (!name) return;
  event.preventDefault();
  if (event.repeat) return;
  steps.waiting.push(name);
  if (!steps.sent) sendNext();
}

function sendNext() {
  steps.sent = "";
  while (!steps.sent && steps.waiting.length) {
    const name = steps.waiting.shift();
    /** @type {HTMLFormElement | null} */ (document.querySelector(`form[data-repeat=${name}]`))?.requestSubmit();
  }
}

/** @param {HTMLFormElement} form */
async function send(form) {
  steps.sent = changeOf(form);
  const { ok: isDone } = await sendForm(form);
  // what was refused may be tried again
  if (!isDone) Object.assign(steps, { sent: "", waiting: [] });
}

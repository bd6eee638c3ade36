// The forms of panel, Attention list and alarms (`data-in-place`) without loading the page: the board keeps its scroll and
// its selection, and other fields of the panel what was typed.
import { sendForm } from "./assign_api.js";
import { sentForms } from "../forms/sent_forms.js";
import { renew } from "../live/swap_parts.js";

// by then the board shows what was done
const SHOWN_MS = 3000;

export function start() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches("[data-in-place]")) return;
    event.preventDefault();
    if (!sentForms.has(form)) send(form, event.submitter);
  });
  document.addEventListener("board:saved", (event) => follow(event.detail));
}

/** @param {HTMLFormElement} form @param {HTMLElement | null} button */
async function send(form, button) {
  // also while its change is not on show yet
  sentForms.add(form);
  const answer = await sendForm(form, button);
  // what was refused may be tried again
  setTimeout(() => sentForms.delete(form), answer.ok ? SHOWN_MS : 0);
  const part = /** @type {HTMLElement | null} */ (form.closest("[data-part]"));
  if (answer.ok) forget(form);
  // of what the server has refused, the fresh part has the plan with which it may be sent again
  if (part && (answer.ok || !answer.isLocal)) renew(part, answer.ok ? { takesFocus: true } : { mustFit: true });
}

/** @param {HTMLFormElement} form */
function forget(form) {
  form.reset();
  if (form.contains(document.activeElement)) /** @type {HTMLElement} */ (document.activeElement).blur();
}

// done by a card, or by what a refusal offers: the panel need not ask for it any more, and has another plan
/** @param {{ job: string, path: string }} saved */
function follow({ job, path }) {
  const panel = document.getElementById("panel");
  if (panel?.dataset.job !== job) return;
  for (const form of panel.querySelectorAll("form")) if (form.getAttribute("action") === path) form.reset();
  renew(panel);
}

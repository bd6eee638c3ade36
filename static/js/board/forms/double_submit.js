// A form that loads a page is sent once: the answer to a second click, which the browser shows, refuses the change as made
// in between, although it is what the first click has saved.
import { sentForms } from "./sent_forms.js";

// after so long the page that should come does not, such as where somebody stopped it
const ANSWER_MS = 8000;

export function start() {
  // on the window, after all others: a form that a script sends loads no page
  window.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.method !== "post") return;
    if (sentForms.has(form)) return event.preventDefault();
    sentForms.add(form);
    setTimeout(() => sentForms.delete(form), ANSWER_MS);
  });
  // back from the answer, or from the browser's page that there is none
  window.addEventListener("pageshow", () => sentForms.clear());
}

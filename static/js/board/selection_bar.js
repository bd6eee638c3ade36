// Several jobs at once: Ctrl+click or S selects a card, the bar assigns, unassigns or plans what is selected.
import { changeJobs } from "./assign_api.js";
import { clear, mark, selectedCards, toggle } from "./selected_jobs.js";
import { boardElement } from "./timeline.js";

/** @param {HTMLFormElement} bar */
export function start(bar) {
  boardElement().addEventListener("click", pick, true);
  boardElement().addEventListener("keydown", press);
  bar.addEventListener("submit", (event) => submit(event, bar));
  bar.querySelector("[data-clear]")?.addEventListener("click", clear);
  document.addEventListener("board:swapped", mark);
  document.addEventListener("board:selected", () => show(bar));
}

/** @param {EventTarget | null} target */
function cardOf(target) {
  return target instanceof Element ? /** @type {JobCard | null} */ (target.closest(".card[data-can-move]")) : null;
}

/** @param {MouseEvent} event */
function pick(event) {
  const card = cardOf(event.target);
  if (!card || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.stopPropagation();
  toggle(card);
}

/** @param {KeyboardEvent} event */
function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const card = cardOf(event.target);
  if (card && event.key.toLowerCase() === "s") toggle(card);
  if (event.key === "Escape" && !boardElement().classList.contains("is-held") && selectedCards().length) clear();
}

/** @param {HTMLFormElement} bar */
function show(bar) {
  const number = selectedCards().length;
  bar.hidden = !number;
  const count = bar.querySelector("#selection-count");
  if (count) count.textContent = (bar.dataset.count ?? "").replace("{number}", String(number));
}

/** @param {SubmitEvent} event @param {HTMLFormElement} bar */
async function submit(event, bar) {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  if (button?.value === "plan") return planJobs(bar.dataset.plans ?? "");
  const engineer = /** @type {HTMLSelectElement} */ (bar.elements.namedItem("engineer")).value;
  // sent again before the answer, the change would be refused as another one's
  setDisabled(bar, true);
  await changeJobs(selectedCards(), button?.value === "unassign" ? "unassign" : "reassign", engineer).finally(() => setDisabled(bar, false));
  clear();
}

/** @param {HTMLFormElement} bar @param {boolean} isDisabled */
function setDisabled(bar, isDisabled) {
  for (const button of bar.querySelectorAll("button")) button.disabled = isDisabled;
}

// the planner's form with these jobs
/** @param {string} address */
function planJobs(address) {
  const url = new URL(address, location.href);
  for (const { dataset } of selectedCards()) url.searchParams.append("job", dataset.job);
  location.assign(url);
}

// Several jobs at once: Ctrl+click or S selects a card, the bar assigns, unassigns or plans what is selected.
import { changeJobs, setDisabled } from "./assign_api.js";
import { focusCard } from "../focus.js";
import { clear, deselect, mark, selectedCards, toggle } from "./selected_jobs.js";
import { boardElement } from "./timeline.js";

/** @type {{ first: string }} the first of the selected jobs, until another one is selected */
const last = { first: "" };

/** @param {HTMLFormElement} bar */
export function start(bar) {
  boardElement().addEventListener("click", pick, true);
  // after the board's own keys: Escape ends a move or closes a refusal first
  document.addEventListener("keydown", press);
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
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const card = cardOf(event.target);
  if (card && event.key.toLowerCase() === "s") toggle(card);
  if (event.key === "Escape" && event.target instanceof Node && boardElement().contains(event.target)) clear();
}

/** @param {HTMLFormElement} bar */
function show(bar) {
  const cards = selectedCards(), number = cards.length, hadFocus = bar.contains(document.activeElement);
  const preventScroll = !document.activeElement?.matches(":focus-visible");
  bar.hidden = !number;
  if (number) last.first = cards[0].dataset.job;
  else if (hadFocus) focusCard(last.first, { preventScroll });
  // an engineer who was chosen for those before is no half-filled form
  if (!number) bar.reset();
  const count = bar.querySelector("#selection-count");
  if (count) count.textContent = (bar.dataset.count ?? "").replace("{number}", String(number));
}

/** @param {SubmitEvent} event @param {HTMLFormElement} bar */
async function submit(event, bar) {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  if (button?.value === "plan") return planJobs(bar.dataset.plans ?? "");
  const engineer = /** @type {HTMLSelectElement} */ (bar.elements.namedItem("engineer")).value;
  const cards = selectedCards(), { first } = last, preventScroll = !button?.matches(":focus-visible");
  setDisabled(bar, true);
  const refused = await changeJobs(cards, button?.value === "unassign" ? "unassign" : "reassign", engineer).finally(() => setDisabled(bar, false));
  deselect(cards, refused);
  // a button that is disabled loses the focus, before the bar is hidden
  if (bar.hidden && document.activeElement === document.body) focusCard(first, { preventScroll });
}

// the planner's form with these jobs
/** @param {string} address */
function planJobs(address) {
  const url = new URL(address, location.href);
  for (const { dataset } of selectedCards()) url.searchParams.append("job", dataset.job);
  location.assign(url);
}

// Filters of the board: unassigned jobs that do not match are hidden, cards in the lanes are faded. What is chosen
// stays for this tab; named filters are kept by the server (board/saved_filters.py).
import { announceRefusal } from "./assign_api.js";
import { typedIn } from "../forms/filled_in.js";
import { post } from "../forms/post_form.js";
import { readJson, writeJson } from "../stored_json.js";
import { boardElement } from "./timeline.js";

const CURRENT = "board-filter";
const FIELDS = /** @type {const} */ (["text", "window", "kind", "skill", "area", "risk"]);

// the choice of jobs that lie in no area, or that need no skill
const NONE = "-";

// at risk or late
const ANY_RISK = "any";

// `group`: the rows of an area, chosen by the count in its heading; in no saved filter
/** @type {JobFilter} */
const NO_FILTER = { text: "", window: "", kind: "", skill: "", area: "", risk: "", group: "" };

/** @param {HTMLElement} box */
export function start(box) {
  const form = /** @type {HTMLFormElement} */ (box.querySelector("form.filters"));
  /** @type {FilterBox} */
  const filters = { box, form, chosen: { ...(linkedFilter() ?? { ...NO_FILTER, ...readJson(sessionStorage, CURRENT, {}) }), ...filledIn(form) } };
  form.addEventListener("input", () => choose(filters, fieldsOf(filters)));
  form.addEventListener("submit", (event) => save(filters, event));
  savedList(filters).addEventListener("submit", (event) => change(filters, event));
  boardElement().addEventListener("click", (event) => press(filters, event));
  document.addEventListener("board:swapped", () => {
    // the lists of choices may be new; a text that is being typed is not
    fillForm(filters, ["window", "kind", "skill", "area"]);
    apply(filters);
  });
  fillForm(filters);
  choose(filters, filters.chosen);
}

/** What was chosen before this script was there. @param {HTMLFormElement} form @returns {Partial<JobFilter>} */
function filledIn(form) {
  const fields = typedIn(form).filter(({ name }) => FIELDS.some((known) => known === name));
  return Object.fromEntries(fields.map(({ name, value }) => [name, value.trim()]));
}

/** What a count of the week or the capacity leads to; out of the address, so that a cleared filter stays cleared. */
function linkedFilter() {
  const address = new URL(location.href), asked = FIELDS.filter((name) => address.searchParams.has(name));
  if (!asked.length) return null;
  const linked = Object.fromEntries(asked.map((name) => [name, address.searchParams.get(name) ?? ""]));
  asked.forEach((name) => address.searchParams.delete(name));
  history.replaceState(history.state, "", address);
  return { ...NO_FILTER, ...linked };
}

/** @param {FilterBox} filters @returns {JobFilter} */
function fieldsOf({ form, chosen }) {
  const data = new FormData(form);
  const typed = Object.fromEntries(FIELDS.map((name) => [name, String(data.get(name) ?? "").trim()]));
  return { ...NO_FILTER, ...typed, risk: chosen.risk, group: chosen.group };
}

/** @param {FilterBox} filters @param {JobFilter} chosen */
function choose(filters, chosen) {
  filters.chosen = chosen;
  writeJson(sessionStorage, CURRENT, chosen);
  apply(filters);
}

/** @param {FilterBox} filters @param {MouseEvent} event */
function press(filters, event) {
  const button = /** @type {Element} */ (event.target).closest("button");
  if (!button) return;
  if (button.dataset.filter === "risk") {
    choose(filters, { ...filters.chosen, risk: filters.chosen.risk === button.value ? "" : button.value });
  }
  if (button.dataset.filter === "group") {
    const isChosen = filters.chosen.group === button.value;
    choose(filters, { ...filters.chosen, risk: isChosen ? "" : ANY_RISK, group: isChosen ? "" : button.value });
  }
  if ("clearFilter" in button.dataset) take(filters, NO_FILTER);
  if ("saved" in button.dataset) take(filters, { ...NO_FILTER, ...Object.fromEntries(new URLSearchParams(button.dataset.saved)) });
}

/** @param {FilterBox} filters @param {JobFilter} chosen */
function take(filters, chosen) {
  choose(filters, chosen);
  fillForm(filters);
}

/** @param {FilterBox} filters @param {readonly (typeof FIELDS[number])[]} [names] */
function fillForm({ form, chosen }, names = FIELDS) {
  for (const name of names) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = chosen[name];
  }
}

/** @param {FilterBox} filters */
function apply({ box, chosen }) {
  const cards = [.../** @type {NodeListOf<JobCard>} */ (boardElement().querySelectorAll(".card"))];
  // a team's job has a card in both rows
  const jobs = cards.filter((card) => card.dataset.second === undefined);
  let count = 0;
  for (const card of cards) {
    const isShown = matches(card, chosen);
    count += Number(isShown && jobs.includes(card));
    card.classList.toggle("is-faded", !isShown);
  }
  for (const list of boardElement().querySelectorAll(".waiting-list ol")) countMatching(list);
  for (const chip of /** @type {NodeListOf<HTMLButtonElement>} */ (boardElement().querySelectorAll("[data-filter]"))) {
    chip.setAttribute("aria-pressed", String(chip.value === chosen[chip.dataset.filter === "group" ? "group" : "risk"]));
  }
  const result = /** @type {HTMLElement} */ (box.querySelector("#filter-result"));
  result.hidden = Object.values(chosen).every((value) => !value);
  const shownText = /** @type {HTMLElement} */ (result.firstElementChild);
  shownText.textContent = (box.dataset.shown ?? "").replace("{shown}", String(count)).replace("{all}", String(jobs.length));
  document.dispatchEvent(new CustomEvent("board:filtered"));
}

// how many of a group are shown, before its number in the heading; nothing while all are
/** @param {Element} list */
function countMatching(list) {
  const number = /** @type {HTMLElement | null | undefined} */ (list.previousElementSibling?.querySelector("span"));
  const cards = list.querySelectorAll(".card").length, matching = cards - list.querySelectorAll(".card.is-faded").length;
  number?.toggleAttribute("data-matching", matching < cards);
  if (number && matching < cards) number.dataset.matching = `${matching}/`;
}

/** @param {JobCard} card @param {JobFilter} chosen */
function matches(card, { text, window: half, kind, skill, area, risk, group }) {
  const { dataset } = card;
  // the tooltip has all of it; a late card prints less
  const cardText = (card.querySelector("a")?.title ?? card.textContent ?? "").toLowerCase();
  return (
    (!half || dataset.windowHalf === half) &&
    (!kind || dataset.kind === kind) &&
    (!area || (dataset.area || NONE) === area) &&
    (!risk || (risk === ANY_RISK ? dataset.risk !== "none" : dataset.risk === risk)) &&
    (!group || /** @type {HTMLElement | null} */ (card.closest(".lane"))?.dataset.laneArea === group) &&
    (!skill || (dataset.skills || NONE).split(" ").includes(skill)) &&
    text.toLowerCase().split(/\s+/).every((word) => cardText.includes(word))
  );
}

/** @param {FilterBox} filters @param {SubmitEvent} event */
async function save(filters, event) {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (filters.box.querySelector("#filter-name"));
  const shared = /** @type {HTMLInputElement} */ (filters.box.querySelector("#filter-shared"));
  const name = field.value.trim();
  field.setCustomValidity(name ? "" : (filters.box.dataset.nameMissing ?? ""));
  field.addEventListener("input", () => field.setCustomValidity(""), { once: true });
  // Enter in the text filter submits too, while the name is out of sight
  if (!name) {
    if (field.checkVisibility()) field.reportValidity();
    return;
  }
  const query = new URLSearchParams(FIELDS.filter((each) => filters.chosen[each]).map((each) => [each, filters.chosen[each]]));
  const body = new URLSearchParams({ page: "board", name, query: String(query), is_shared: shared.checked ? "1" : "" });
  if (!(await send(filters, savedList(filters).dataset.url ?? "", body))) return;
  field.value = "";
  shared.checked = false;
}

// a saved filter is renamed, shared or deleted in its own small form
/** @param {FilterBox} filters @param {SubmitEvent} event */
async function change(filters, event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form, event.submitter)));
  await send(filters, form.action, body);
  savedList(filters).querySelector("button")?.focus();
}

// whether it was kept; the list comes back as the server draws it, with what is wrong
/** @param {FilterBox} filters @param {string} url @param {URLSearchParams} body */
async function send(filters, url, body) {
  const refusal = await post(url, body);
  const answer = /** @type {SavedFiltersAnswer} */ (/** @type {unknown} */ (refusal));
  if (answer.html === undefined) {
    announceRefusal(refusal);
    return false;
  }
  savedList(filters).replaceChildren(...new DOMParser().parseFromString(answer.html, "text/html").body.childNodes);
  return answer.ok;
}

/** @param {FilterBox} filters */
const savedList = ({ box }) => /** @type {HTMLElement} */ (box.querySelector("#saved-filters"));

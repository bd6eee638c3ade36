// Search while typing: a combobox (ARIA pattern, list without completion). Without this script the form opens the
// results as a page, and so does Enter while no result is chosen.

const LEAST_CHARACTERS = 2;
const DEBOUNCE_MS = 150;
const TIMEOUT_MS = 8000;

/** @param {HTMLFormElement} form */
export function start(form) {
  const input = /** @type {HTMLInputElement} */ (form.querySelector("input[type=search]"));
  const popup = /** @type {HTMLElement} */ (form.querySelector(".search-popup"));
  const status = /** @type {HTMLElement} */ (form.querySelector("[role=status]"));
  /** @type {SearchBox} */
  const box = { form, input, popup, status, options: [], active: -1, timer: 0, request: null };
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-controls", "search-options"]]) input.setAttribute(name, value);
  close(box);
  input.addEventListener("input", () => scheduleRequest(box));
  input.addEventListener("keydown", (event) => press(box, event));
  input.addEventListener("focus", () => input.value && scheduleRequest(box));
  form.addEventListener("submit", () => stop(box));
  form.addEventListener("focusout", ({ relatedTarget }) => form.contains(/** @type {Node | null} */ (relatedTarget)) || stop(box));
  document.addEventListener("keydown", (event) => focusBySlash(box, event));
}

/** @param {SearchBox} box @param {KeyboardEvent} event */
function focusBySlash({ input }, event) {
  const target = /** @type {HTMLElement} */ (event.target);
  const isTyping = target.isContentEditable || target.matches("input, textarea, select");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
  input.select();
}

/** @param {SearchBox} box */
function scheduleRequest(box) {
  clearTimeout(box.timer);
  box.request?.abort();
  if (box.input.value.trim().length < LEAST_CHARACTERS) return close(box);
  box.timer = window.setTimeout(() => requestResults(box), DEBOUNCE_MS);
}

// a late response is never shown: typing on, leaving and submitting abort the request
/** @param {SearchBox} box */
async function requestResults(box) {
  const request = new AbortController();
  box.request = request;
  const url = `${box.form.dataset.url}?${new URLSearchParams({ q: box.input.value })}`;
  try {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const answer = await fetch(url, { signal, cache: "no-store" });
    if (answer.redirected) return location.reload();
    if (!answer.ok) throw new Error(`${answer.status}`);
    const text = await answer.text();
    if (!request.signal.aborted) show(box, new DOMParser().parseFromString(text, "text/html").body);
  } catch {
    if (!request.signal.aborted) fail(box);
  }
}

/** @param {SearchBox} box @param {HTMLElement} found */
function show(box, found) {
  box.popup.replaceChildren(...found.childNodes);
  box.options = [.../** @type {NodeListOf<HTMLAnchorElement>} */ (box.popup.querySelectorAll("[role=option]"))];
  box.options.forEach((option, index) => (option.id = `search-option-${index}`));
  const hint = box.popup.querySelector(".option-hint")?.textContent ?? "";
  const { numberOne = "", numberMany = "" } = box.form.dataset;
  const number = (box.options.length === 1 ? numberOne : numberMany).replace("{number}", String(box.options.length));
  box.status.textContent = box.options.length ? `${number}. ${hint}` : hint;
  open(box);
}

/** @param {SearchBox} box */
function fail(box) {
  const text = document.createElement("p");
  text.className = "option-hint";
  text.textContent = box.form.dataset.failed ?? "";
  box.popup.replaceChildren(text);
  box.options = [];
  box.status.textContent = text.textContent;
  open(box);
}

/** @param {SearchBox} box */
function open(box) {
  box.popup.hidden = false;
  box.input.setAttribute("aria-expanded", String(box.options.length > 0));
  choose(box, -1);
}

/** @param {SearchBox} box */
function close(box) {
  box.popup.hidden = true;
  box.popup.replaceChildren();
  box.status.textContent = "";
  box.options = [];
  box.input.setAttribute("aria-expanded", "false");
  choose(box, -1);
}

/** @param {SearchBox} box */
function stop(box) {
  clearTimeout(box.timer);
  box.request?.abort();
  close(box);
}

/** @param {SearchBox} box @param {number} index */
function choose(box, index) {
  box.active = index;
  box.options.forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
  const option = box.options[index];
  if (!option) return box.input.removeAttribute("aria-activedescendant");
  box.input.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

/** @param {SearchBox} box @param {KeyboardEvent} event */
function press(box, event) {
  if (box.popup.hidden || event.isComposing) return;
  const count = box.options.length;
  /** @type {Record<string, (() => void) | false>} */
  const acts = {
    ArrowDown: () => choose(box, box.active + 1 < count ? box.active + 1 : -1),
    ArrowUp: () => choose(box, box.active < 0 ? count - 1 : box.active - 1),
    Enter: box.active >= 0 && (() => box.options[box.active].click()),
    Escape: () => stop(box),
  };
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

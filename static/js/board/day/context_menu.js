// The same actions by right-click, or by the context menu key (Shift+F10) on a focused card or engineer.
import { changeJobs, pin, unassign } from "./assign_api.js";
import { toggle } from "./selected_jobs.js";
import { boardElement } from "./timeline.js";

/** @typedef {{ card: JobCard | null, link: HTMLAnchorElement }} MenuTarget */

/** @param {HTMLElement} menu */
export function start(menu) {
  /** @type {{ target: MenuTarget | null }} */
  const opened = { target: null };
  const close = () => {
    menu.hidden = true;
    opened.target?.link.focus();
    opened.target = null;
  };
  boardElement().addEventListener("contextmenu", (event) => {
    const target = targetOf(event.target);
    if (!target) return;
    event.preventDefault();
    opened.target = target;
    open(menu, target, event);
  });
  menu.addEventListener("click", (event) => {
    const item = event.target instanceof HTMLElement ? event.target.closest("button") : null;
    const target = opened.target;
    close();
    if (item && target) run(menu, item.dataset, target);
  });
  menu.addEventListener("keydown", (event) => press(menu, event, close));
  document.addEventListener("pointerdown", (event) => {
    if (!menu.hidden && event.target instanceof Node && !menu.contains(event.target)) menu.hidden = true;
  });
}

/** @param {EventTarget | null} element @returns {MenuTarget | null} */
function targetOf(element) {
  const found = element instanceof Element ? element.closest(".card, .lane[data-engineer] .lane-name") : null;
  const link = found?.querySelector("a");
  if (!found || !link) return null;
  return { card: found.matches(".card") ? /** @type {JobCard} */ (found) : null, link };
}

/** @param {HTMLElement} menu @param {MenuTarget} target @param {MouseEvent} event */
function open(menu, { card, link }, event) {
  const canMove = Boolean(card && "canMove" in card.dataset);
  const { day, today } = boardElement().dataset;
  // the panel of a day that is over has no form of these
  const canChangeDay = !card && day >= today;
  /** @type {Record<string, boolean>} */
  const isVisible = {
    open: Boolean(card),
    page: Boolean(card),
    select: canMove,
    // next to the large map the rows are lists without a time axis
    move: canMove && !boardElement().classList.contains("layout-map"),
    nearest: canMove,
    pin: card?.dataset.pinned === "",
    unpin: card?.dataset.pinned === "1",
    hold: Boolean(card && "canHold" in card.dataset),
    absent: canChangeDay,
    swap: canChangeDay,
    unassign: canMove && Boolean(card?.closest(".lane")),
    engineer: !card,
  };
  for (const item of items(menu)) item.hidden = !isVisible[item.dataset.do ?? ""];
  menu.hidden = false;
  // by key there is no pointer: below the focused link
  const { left, bottom } = link.getBoundingClientRect();
  const [x, y] = event.button === 2 ? [event.clientX, event.clientY] : [left, bottom];
  menu.style.left = `${Math.max(0, Math.min(x, innerWidth - menu.offsetWidth))}px`;
  menu.style.top = `${Math.max(0, Math.min(y, innerHeight - menu.offsetHeight))}px`;
  visible(menu)[0]?.focus();
}

/** @param {HTMLElement} menu */
const items = (menu) => [.../** @type {NodeListOf<HTMLElement>} */ (menu.querySelectorAll("[role=menuitem]"))];
/** @param {HTMLElement} menu */
const visible = (menu) => items(menu).filter((item) => !item.hidden);

/** @param {HTMLElement} menu @param {KeyboardEvent} event @param {() => void} close */
function press(menu, event, close) {
  event.stopPropagation();
  const all = visible(menu);
  const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (event.key === "Escape" || event.key === "Tab") close();
  else if (event.key === "ArrowDown") all[(at + 1) % all.length].focus();
  else if (event.key === "ArrowUp") all[(at - 1 + all.length) % all.length].focus();
  else return;
  event.preventDefault();
}

/** @param {HTMLElement} menu @param {DOMStringMap} item @param {MenuTarget} target */
function run(menu, { do: name = "", field }, { card, link }) {
  if (name === "open" || name === "engineer") link.click();
  if (field) openForm(link, field);
  if (!card) return;
  if (name === "page") location.assign((menu.dataset.jobUrl ?? "").replace("JOB", encodeURIComponent(card.dataset.job)));
  if (name === "select") toggle(card);
  if (name === "move") document.dispatchEvent(new CustomEvent("board:move", { detail: card }));
  if (name === "nearest") changeJobs([card], "reassign");
  if (name === "pin" || name === "unpin") pin(card.dataset);
  if (name === "unassign") unassign(card.dataset);
}

// what asks for more than a press has its form in the panel: opened there, with the focus on its first field
/** @param {HTMLAnchorElement} link @param {string} field */
function openForm(link, field) {
  link.click();
  const address = location.search;
  const show = () => {
    const found = document.getElementById(field);
    if (location.search !== address) return document.removeEventListener("board:swapped", show);
    if (!found) return;
    document.removeEventListener("board:swapped", show);
    found.closest("details")?.setAttribute("open", "");
    found.focus();
  };
  document.addEventListener("board:swapped", show);
}

// The week by keyboard: one cell of the table is in the order of Tab, the arrow keys go to its neighbours.

/** @type {Record<string, [across: number, down: number] | undefined>} */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function start() {
  const page = /** @type {HTMLElement} */ (document.getElementById("board"));
  page.addEventListener("keydown", (event) => press(event));
  page.addEventListener("focusin", (event) => event.target instanceof HTMLAnchorElement && setStop(event.target));
  document.addEventListener("board:swapped", () => setStop());
  setStop();
  // a narrow window begins with Monday
  table().querySelector("th.is-today")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

const table = () => /** @type {HTMLTableElement} */ (document.querySelector("table.week"));

/** @param {HTMLAnchorElement} [chosen] */
function setStop(chosen) {
  const links = [.../** @type {NodeListOf<HTMLAnchorElement>} */ (table().querySelectorAll("td a"))];
  const focused = links.find((link) => link === (chosen ?? document.activeElement)) ?? links.find((link) => link.tabIndex === 0) ?? links[0];
  for (const link of links) link.tabIndex = link === focused ? 0 : -1;
}

/** @param {KeyboardEvent} event */
function press(event) {
  const step = STEPS[event.key];
  const cell = event.target instanceof HTMLAnchorElement ? event.target.closest("td") : null;
  if (!step || !cell || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const rows = [...table().rows].filter((row) => row.querySelector("td a"));
  const row = rows[rows.indexOf(/** @type {HTMLTableRowElement} */ (cell.parentElement)) + step[1]];
  row?.cells[cell.cellIndex + step[0]]?.querySelector("a")?.focus();
}

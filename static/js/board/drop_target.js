// Where a dragged card would be dropped. The rows are measured when a drag begins and after a scroll; a move of the
// pointer is arithmetic, so that it never makes the browser lay out the day between two frames.
import { elementById, quarters } from "./timeline.js";

const EDGE_PX = 48;
const STEP_PX = 16;

/** @type {BoardGeometry | null} */
let measured = null;

export function forget() {
  measured = null;
}

/** @param {CardDrag} drag @param {PointerEvent} event @returns {CardDrag["target"]} */
export function targetAt(drag, { clientX: x, clientY: y }) {
  const { waiting, lanes, axis, names, hours, rows } = geometry();
  if (contains(waiting, x, y)) return { waiting: /** @type {HTMLElement} */ (document.querySelector(".waiting")) };
  // a row's head lies over hours that are scrolled away: it is no time
  if (!contains(lanes, x, y) || x < names || y < hours) return null;
  const row = rows.find(({ top, bottom }) => y >= top && y < bottom);
  if (!row) return null;
  const raw = Math.floor((x - axis.left) / (axis.width / quarters())) - drag.grip;
  const isLeftward = x > (names + lanes.right) / 2;
  return { lane: row.lane, step: Math.min(Math.max(0, raw), quarters() - 1), isLeftward };
}

/** @param {PointerEvent} event */
export function scrollAtEdge({ clientX, clientY }) {
  const { left, top, right, bottom } = geometry().lanes;
  if (clientX < left) return;
  const down = clientY > bottom - EDGE_PX ? STEP_PX : clientY < top + EDGE_PX ? -STEP_PX : 0;
  const along = clientX > right - EDGE_PX ? STEP_PX : 0;
  if (!down && !along) return;
  elementById("lanes").scrollBy(along, down);
  forget();
}

/** @returns {BoardGeometry} */
function geometry() {
  measured ??= measure();
  return measured;
}

/** @returns {BoardGeometry} */
function measure() {
  const board = elementById("lanes");
  /** @param {string} selector */
  const rectOf = (selector) => board.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
  const lanes = board.getBoundingClientRect();
  const hours = rectOf(".lane-head .track");
  // next to the large map the rows are lists, without hours above them
  const isTimeline = hours.width > 0;
  return {
    lanes,
    waiting: document.querySelector(".waiting")?.getBoundingClientRect() ?? new DOMRect(),
    axis: isTimeline ? hours : lanes,
    names: isTimeline ? rectOf(".lane-head .lane-name").right : lanes.left,
    hours: isTimeline ? hours.bottom : lanes.top,
    rows: [.../** @type {NodeListOf<LaneElement>} */ (board.querySelectorAll(".lane[data-engineer]:not([hidden])"))].map(rowOf),
  };
}

/** @param {LaneElement} lane */
function rowOf(lane) {
  const { top, bottom } = lane.getBoundingClientRect();
  return { lane, top, bottom };
}

/** @param {DOMRect} rect @param {number} x @param {number} y */
const contains = ({ left, right, top, bottom }, x, y) => x >= left && x < right && y >= top && y < bottom;

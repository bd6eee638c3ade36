// The shape of an arrow on a picture. Pure; places are parts of the picture's width and height, 0 to 1.

// parts of the picture's long edge
const THICKNESS = 0.012;
const HEAD = 0.06;
const SHORTEST = 0.04;
const SPREAD = Math.PI / 7;
const STEP = 0.02;

// The corners of a filled arrow in pixels, from its tail around its tip, or [] when nothing was drawn.
/** @param {Arrow} arrow @param {Size} picture @returns {Point[]} */
export function arrowOutline({ tail, tip }, { width, height }) {
  const [from, to] = [pixels(tail, width, height), pixels(tip, width, height)];
  const edge = Math.max(width, height);
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length < SHORTEST * edge) return [];
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const head = Math.min(HEAD * edge, length * 0.6);
  const half = (THICKNESS * edge) / 2;
  const neck = pointAt(to, angle + Math.PI, head * Math.cos(SPREAD));
  /** @param {Point} position @param {number} turn @param {number} by */
  const side = (position, turn, by) => pointAt(position, angle + (turn * Math.PI) / 2, by);
  /** @param {number} turn */
  const wing = (turn) => pointAt(to, angle + Math.PI + turn * SPREAD, head);
  return [side(from, 1, half), side(neck, 1, half), wing(-1), to, wing(1), side(neck, -1, half), side(from, -1, half)];
}

// As wide as the white rim around it, so that it is seen on every ground.
/** @param {Size} picture */
export const rimWidth = ({ width, height }) => (THICKNESS * Math.max(width, height)) / 2;

// For a keyboard: an arrow in the middle, and its tip (or with Shift its tail) moved by a key.
/** @type {Arrow} */
export const FIRST_ARROW = Object.freeze({ tail: { x: 0.3, y: 0.7 }, tip: { x: 0.5, y: 0.5 } });
/** @type {Record<string, Vector | undefined>} */
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @param {Arrow | null} arrow @param {{ key: string, shiftKey?: boolean }} event @returns {Arrow | null} */
export function moveArrow(arrow, { key, shiftKey = false }) {
  const way = DIRECTIONS[key];
  if (!way) return null;
  if (!arrow) return FIRST_ARROW;
  const end = shiftKey ? "tail" : "tip";
  const { x, y } = arrow[end];
  return { ...arrow, [end]: { x: clamp(x + way[0] * STEP), y: clamp(y + way[1] * STEP) } };
}

/** @param {number} part */
export const clamp = (part) => Math.min(1, Math.max(0, part));

/** @param {Point} position @param {number} width @param {number} height @returns {Point} */
const pixels = ({ x, y }, width, height) => ({ x: x * width, y: y * height });
/** @param {Point} position @param {number} angle @param {number} by @returns {Point} */
const pointAt = ({ x, y }, angle, by) => ({ x: x + Math.cos(angle) * by, y: y + Math.sin(angle) * by });

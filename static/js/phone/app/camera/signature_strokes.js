// The strokes of a signature. Pure; places are parts of the pad's width and height, 0 to 1.

// shorter than this in all is a slip of the thumb, no name
const SHORTEST = 0.25;

/** @type {Strokes} */
export const NO_STROKES = Object.freeze([]);

/** @param {Strokes} strokes @param {Point} point @returns {Strokes} */
export const beginStroke = (strokes, point) => [...strokes, [point]];

/** @param {Strokes} strokes @param {Point} point @returns {Strokes} */
export const extendStroke = (strokes, point) => [...strokes.slice(0, -1), [...(strokes.at(-1) ?? []), point]];

/** @param {Strokes} strokes */
export const undoStroke = (strokes) => strokes.slice(0, -1);

/** @param {Strokes} strokes */
export function isSigned(strokes) {
  return strokes.reduce((whole, stroke) => whole + lengthOf(stroke), 0) >= SHORTEST;
}

/** @param {Stroke} stroke */
function lengthOf(stroke) {
  let length = 0;
  for (let at = 1; at < stroke.length; at += 1) {
    length += Math.hypot(stroke[at].x - stroke[at - 1].x, stroke[at].y - stroke[at - 1].y);
  }
  return length;
}

// Draws them in black on white, whatever the phone's theme: it becomes a picture on paper.
/** @param {CanvasRenderingContext2D} context @param {Strokes} strokes @param {Size} pad */
export function paintStrokes(context, strokes, { width, height }) {
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  context.strokeStyle = context.fillStyle = "black";
  context.lineWidth = Math.max(2, height / 60);
  context.lineCap = context.lineJoin = "round";
  for (const stroke of strokes) paintOne(context, stroke, width, height);
}

/** @param {CanvasRenderingContext2D} context @param {Stroke} stroke @param {number} width @param {number} height */
function paintOne(context, stroke, width, height) {
  context.beginPath();
  context.moveTo(stroke[0].x * width, stroke[0].y * height);
  // a dot on an i has one place only
  for (const { x, y } of stroke.length > 1 ? stroke.slice(1) : stroke) context.lineTo(x * width, y * height);
  context.stroke();
}

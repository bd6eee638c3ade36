// The strokes of a signature. Pure; places are parts of the pad's width and height, 0 to 1.

// shorter than this in all is a slip of the thumb, no name
const SHORTEST = 0.25;

export const NO_STROKES = Object.freeze([]);

export const beginStroke = (strokes, place) => [...strokes, [place]];

export const extendStroke = (strokes, place) => [...strokes.slice(0, -1), [...(strokes.at(-1) ?? []), place]];

export const undoStroke = (strokes) => strokes.slice(0, -1);

export function isSigned(strokes) {
  return strokes.reduce((whole, stroke) => whole + lengthOf(stroke), 0) >= SHORTEST;
}

function lengthOf(stroke) {
  let length = 0;
  for (let at = 1; at < stroke.length; at += 1) {
    length += Math.hypot(stroke[at].x - stroke[at - 1].x, stroke[at].y - stroke[at - 1].y);
  }
  return length;
}

// Draws them in black on white, whatever the phone's theme: it becomes a picture on paper.
export function paintStrokes(context, strokes, { width, height }) {
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  context.strokeStyle = context.fillStyle = "black";
  context.lineWidth = Math.max(2, height / 60);
  context.lineCap = context.lineJoin = "round";
  for (const stroke of strokes) paintOne(context, stroke, width, height);
}

function paintOne(context, stroke, width, height) {
  context.beginPath();
  context.moveTo(stroke[0].x * width, stroke[0].y * height);
  // a dot on an i has one place only
  for (const { x, y } of stroke.length > 1 ? stroke.slice(1) : stroke) context.lineTo(x * width, y * height);
  context.stroke();
}

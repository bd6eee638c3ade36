// How a job looks on the map: shape and character say its state, a ring its risk. Each look is drawn once and then copied.
import { colour } from "./map_base.js";

export const SIZE = 28;
const MIDDLE = SIZE / 2;
const RADIUS = 9;

/** @param {CanvasRenderingContext2D} pen @param {number[][]} corners */
function polygon(pen, corners) {
  for (const [x, y] of corners) pen.lineTo(MIDDLE + x * RADIUS, MIDDLE + y * RADIUS);
  pen.closePath();
}

/** @param {CanvasRenderingContext2D} pen */
const circle = (pen) => pen.arc(MIDDLE, MIDDLE, RADIUS, 0, 2 * Math.PI);

/** @type {Record<string, (pen: CanvasRenderingContext2D) => void>} */
const SHAPES = {
  unassigned: circle,
  assigned: (pen) => polygon(pen, [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]),
  "en-route": (pen) => polygon(pen, [[-1, -0.8], [0.3, -0.8], [1.2, 0], [0.3, 0.8], [-1, 0.8]]),
  "on-site": (pen) => polygon(pen, [[0, -1.2], [1, -0.3], [1, 1], [-1, 1], [-1, -0.3]]),
  "in-review": (pen) => polygon(pen, [[-0.6, -1.1], [0.6, -1.1], [1.2, 0], [0.6, 1.1], [-0.6, 1.1], [-1.2, 0]]),
  done: circle,
  closed: (pen) => polygon(pen, [[0, -1.2], [1.2, 0], [0, 1.2], [-1.2, 0]]),
  cancelled: (pen) => polygon(pen, [[-1.1, -0.9], [1.1, -0.9], [0, 1.2]]),
};
// nothing is to be done yet, or any more: only an outline
const HOLLOW = new Set(["unassigned", "cancelled"]);

/** @param {(slug: string) => string} characterOf @returns {MapSymbols} */
export function createSymbols(characterOf) {
  /** @type {Map<string, HTMLCanvasElement>} */
  const drawn = new Map();
  // at the size in which they are copied: to shrink thousands of them each time would take longer than a frame
  /** @param {string} name @param {number} scale @param {(pen: CanvasRenderingContext2D) => void} draw */
  const once = (name, scale, draw) => {
    const key = `${name} ${scale}`;
    const known = drawn.get(key);
    if (known) return known;
    const made = blank(scale, draw);
    drawn.set(key, made);
    return made;
  };
  return {
    line: colour("muted"),
    chosenLine: colour("action"),
    job: ({ state, risk, isChosen }, scale) => once(`${state} ${risk} ${isChosen}`, scale, (pen) => drawJob(pen, state, characterOf(state), risk, isChosen)),
    stop: (number, scale) => once(`stop ${number}`, scale, (pen) => drawStop(pen, number)),
    engineer: (initials, scale) => once(`engineer ${initials}`, scale, (pen) => drawEngineer(pen, initials)),
  };
}

/** @param {number} scale @param {(pen: CanvasRenderingContext2D) => void} draw */
function blank(scale, draw) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.round(SIZE * scale * devicePixelRatio);
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.scale(canvas.width / SIZE, canvas.height / SIZE);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  draw(pen);
  return canvas;
}

/** @param {CanvasRenderingContext2D} pen @param {string} slug @param {string} character @param {string} risk @param {boolean} isChosen */
function drawJob(pen, slug, character, risk, isChosen) {
  // a review has the colour of what it may end as, as on its card
  const state = colour(`state-${slug}`) || colour("state-closed");
  if (isChosen) ring(pen, colour("action"), 13, 2, []);
  if (risk === "late") ring(pen, colour("alarm"), 11.5, 3, []);
  if (risk === "at-risk") ring(pen, colour("warning"), 11.5, 2.5, [4, 3]);
  pen.beginPath();
  SHAPES[slug]?.(pen);
  pen.fillStyle = HOLLOW.has(slug) ? colour("paper") : state;
  pen.fill();
  pen.lineWidth = 1.5;
  pen.strokeStyle = HOLLOW.has(slug) ? state : colour("paper");
  pen.stroke();
  write(pen, character, HOLLOW.has(slug) ? state : colour("paper"), MIDDLE, MIDDLE + 0.5, 11);
}

/** @param {CanvasRenderingContext2D} pen @param {string} stroke @param {number} radius @param {number} width @param {number[]} dashes */
function ring(pen, stroke, radius, width, dashes) {
  pen.beginPath();
  pen.arc(MIDDLE, MIDDLE, radius - width / 2, 0, 2 * Math.PI);
  pen.setLineDash(dashes);
  pen.lineWidth = width;
  pen.strokeStyle = stroke;
  pen.stroke();
  pen.setLineDash([]);
}

// the number of the stop on its engineer's route, at the pin's upper right
/** @param {CanvasRenderingContext2D} pen @param {number} number */
function drawStop(pen, number) {
  pen.beginPath();
  pen.arc(SIZE - 7, 7, 6.5, 0, 2 * Math.PI);
  pen.fillStyle = colour("paper");
  pen.fill();
  pen.lineWidth = 1;
  pen.strokeStyle = colour("ink");
  pen.stroke();
  write(pen, String(number), colour("ink"), SIZE - 7, 7.5, 9);
}

/** @param {CanvasRenderingContext2D} pen @param {string} initials */
function drawEngineer(pen, initials) {
  pen.beginPath();
  pen.roundRect(2, 7, SIZE - 4, SIZE - 14, 7);
  pen.fillStyle = colour("ink");
  pen.fill();
  pen.lineWidth = 1.5;
  pen.strokeStyle = colour("paper");
  pen.stroke();
  write(pen, initials, colour("paper"), MIDDLE, MIDDLE + 0.5, 10);
}

/** @param {CanvasRenderingContext2D} pen @param {string} text @param {string} fill @param {number} x @param {number} y @param {number} size */
function write(pen, text, fill, x, y, size) {
  pen.font = `700 ${size}px system-ui, sans-serif`;
  pen.fillStyle = fill;
  pen.fillText(text, x, y);
}

// Draws an arrow on a photo, with a finger or with the arrow keys. Optional.

import { h, icon } from "../dom.js";
import { _ } from "../i18n.js";
import { moveArrow, arrowOutline, rimWidth, clamp } from "./arrow_shape.js";
import { decodeImage, encodeJpeg, scaleImage } from "./photo_encoding.js";

const COLOUR = "#ffd400";
const RIM = "#000000";
const WHOLE = 100_000;

// `back(drawn)` with {bytes, sha256} of the drawn picture, or null when it stays as it was.
/** @param {PendingPhoto} pending @param {PhotoQuestion} question @param {{ back: (drawn: EncodedPhoto | null) => unknown, put: (stage: Pick<FieldStage, "content" | "main">) => void }} field */
export async function drawArrowOn(pending, question, { back, put }) {
  const picture = await decodeImage(new Blob([pending.bytes]));
  if (!picture) return back(null);
  const paper = scaleImage(picture, WHOLE);
  paper.className = "camera-paper";
  /** @type {ArrowDrawing} */
  const drawing = { picture, paper, arrows: [], now: null };
  const done = async () => back(drawing.arrows.length || drawing.now ? await encodeJpeg(paper, question) : null);
  watch(drawing);
  return put({
    content: [
      h("p.phone-hint", { id: "draw-hint" }, _("Drag to draw an arrow. On a keyboard, the arrow keys move the tip; hold Shift to move the other end.")),
      paper,
      button(_("Undo"), () => undo(drawing), { "data-repeatable": true }),
      button(_("Don't draw an arrow"), () => back(null)),
    ],
    main: h("button.main-button", { type: "button", onclick: done }, _("Done")),
  });
}

/** @param {string} label @param {Listener} onclick @param {Attributes} [more] */
const button = (label, onclick, more = {}) => h("button.phone-button", { type: "button", onclick, ...more }, icon("undo"), " ", label);

/** @param {ArrowDrawing} drawing */
function watch(drawing) {
  const { paper } = drawing;
  const attributes = { tabindex: "0", role: "application", "aria-label": _("The photo to draw on"), "aria-describedby": "draw-hint" };
  for (const [name, value] of Object.entries(attributes)) paper.setAttribute(name, value);
  /** @template {keyof HTMLElementEventMap} Name @param {Name} name @param {(event: HTMLElementEventMap[Name]) => void} act */
  const on = (name, act) => paper.addEventListener(name, act);
  on("pointerdown", (event) => {
    paper.setPointerCapture(event.pointerId);
    finish(drawing);
    drawing.now = { tail: pointOf(paper, event), tip: pointOf(paper, event) };
  });
  on("pointermove", (event) => {
    if (!paper.hasPointerCapture(event.pointerId) || !drawing.now) return;
    drawing.now = { ...drawing.now, tip: pointOf(paper, event) };
    paint(drawing);
  });
  on("pointerup", () => finish(drawing));
  on("keydown", (event) => {
    const next = moveArrow(drawing.now ?? drawing.arrows.pop() ?? null, event);
    if (!next) return;
    event.preventDefault();
    drawing.now = next;
    paint(drawing);
  });
  on("blur", () => finish(drawing));
}

// What is too short is no arrow.
/** @param {ArrowDrawing} drawing */
function finish(drawing) {
  const { now, arrows, paper } = drawing;
  if (now && arrowOutline(now, paper).length) arrows.push(now);
  drawing.now = null;
  paint(drawing);
}

/** @param {ArrowDrawing} drawing */
function undo(drawing) {
  drawing.arrows.pop();
  drawing.now = null;
  paint(drawing);
}

/** @param {Element} paper @param {MouseEvent} event */
function pointOf(paper, { clientX, clientY }) {
  const box = paper.getBoundingClientRect();
  return { x: clamp((clientX - box.left) / box.width), y: clamp((clientY - box.top) / box.height) };
}

/** @param {ArrowDrawing} drawing */
function paint({ picture, paper, arrows, now }) {
  const context = /** @type {CanvasRenderingContext2D} */ (paper.getContext("2d"));
  context.drawImage(picture, 0, 0);
  for (const arrow of /** @type {Arrow[]} */ ([...arrows, now].filter(Boolean))) paintOne(context, arrowOutline(arrow, paper), rimWidth(paper));
}

/** @param {CanvasRenderingContext2D} context @param {Point[]} corners @param {number} rim */
function paintOne(context, corners, rim) {
  if (!corners.length) return;
  context.beginPath();
  for (const { x, y } of corners) context.lineTo(x, y);
  context.closePath();
  context.lineJoin = "round";
  context.lineWidth = rim;
  context.strokeStyle = RIM;
  context.fillStyle = COLOUR;
  context.stroke();
  context.fill();
}

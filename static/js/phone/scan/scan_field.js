// Scanning a label in the page: the camera, a photo of the label, and the reading. Typed entry is next to it.

import { focusMainButton, isFocusLost } from "../app/camera/main_button_focus.js";
import { encodeJpeg, withHash } from "../app/camera/photo_encoding.js";
import { onTap } from "../app/actions.js";
import { h, icon } from "../app/dom.js";
import { fileInput } from "../app/file_input.js";
import { newId } from "../app/ids.js";
import { _ } from "../app/i18n.js";
import * as camera from "./scan_camera.js";
import { preloadDecoder } from "./decoder_client.js";
import { scanConfirmation } from "./scan_confirmation.js";
import { readPhoto } from "./scan_from_photo.js";
import { scanLive } from "./live_scan.js";

// the evidence of a scan; no question of a matrix asks for it
const LABEL = "ONT_LABEL";
const VENDORS = "/phone/vendors.json";
// the page is drawn first
const READY_MS = 150;

// what stands in the scan field: nothing yet, nothing because there is no camera, the camera, a picture that is read,
// a reading of which something is missing, and a whole one
export const PHASES = Object.freeze({ IDLE: "idle", NO_CAMERA: "no_camera", CAMERA: "camera", READING: "reading", PART: "part", WHOLE: "whole" });

/** @type {WeakMap<Element, ScanField>} */
const fields = new WeakMap();

// An element; nothing is seen of it before `openCamera`. `onPhase()` when the page's large button may be another one.
// `onRead({fsan, serial_number, source, label})` when the engineer confirmed the reading; label = {picture, body} goes
// into the queue as photo_taken, together with the scan.
/** @param {{ job: Job, onRead: ScanField["onRead"], onPhase: ScanField["onPhase"] }} options */
export function scanField({ job, onRead, onPhase }) {
  const { fsan, serial_number: number } = job.expected_ont;
  const container = h("div.scan.camera");
  /** @type {ScanField} */
  const field = { container, onRead, onPhase, expected: [fsan, number], round: 0, phase: PHASES.IDLE, hasCamera: camera.hasCamera(), reading: null, drawn: null };
  fields.set(container, field);
  showIdle(field);
  // a page that is only compared with the one on the screen is never put there
  setTimeout(() => container.isConnected && prepare(), READY_MS);
  return container;
}

// a map knows nothing of null
const currentField = () => fields.get(/** @type {Element} */ (document.querySelector(".scan.camera")));

// Of the field on the screen.
export const currentPhase = () => currentField()?.phase ?? PHASES.IDLE;

// What would be taken over now, or null.
export const currentReading = () => currentField()?.reading ?? null;

// The camera, or where there is none a photo of the label.
export function openCamera() {
  const field = currentField();
  if (!field) return null;
  if (!field.hasCamera) return /** @type {HTMLElement | null} */ (field.container.querySelector("#scan-photo"))?.click();
  return showCamera(field).catch((problem) => showIdle(field, decoderFailedText(problem)));
}

// What was read, with what was chosen where several fitted.
export function useReading() {
  const field = currentField();
  return field?.reading && acceptReading(field, field.reading);
}

// By the tap the reader is there; where it does not start, the tap reports it.
function prepare() {
  vendorFile().catch(() => {});
  preloadDecoder().catch(() => {});
}

// A newer round ends the one before.
/** @param {ScanField} field @param {ScanPhase} phase @param {...NestedChild} content */
function setContent(field, phase, ...content) {
  field.round += 1;
  field.container.replaceChildren(.../** @type {(Node | string)[]} */ (content.flat(3).filter(Boolean)));
  setPhase(field, phase);
  return field.round;
}

/** @param {ScanField} field @param {ScanPhase} phase */
function setPhase(field, phase) {
  const isChanged = field.phase !== phase;
  field.phase = phase;
  if (isChanged && field.container.isConnected) field.drawn = field.onPhase();
}

/** @param {string} label @param {string} sign @param {ClickHandler} onclick @param {Attributes} [more] */
const button = (label, sign, onclick, more = {}) => h("button.phone-button", { type: "button", onclick, ...more }, icon(sign), " ", label);
/** @param {string} text */
const notice = (text) => h("p.notice.notice-warning", { role: "status" }, icon("warning"), " ", h("span", {}, text));

/** @param {ScanField} field @param {string} [problem] */
function showIdle(field, problem = "") {
  field.reading = null;
  setContent(field, field.hasCamera ? PHASES.IDLE : PHASES.NO_CAMERA, problem && notice(problem), labelInput(field));
}

/** @param {ScanField} field */
function labelInput(field) {
  /** @param {EventOn<HTMLInputElement>} event */
  const onchange = ({ target }) => target.files?.[0] && readFile(field, target.files[0]);
  return fileInput("scan-photo", _("Photo of the label instead"), "camera", { capture: "environment", onchange });
}

// --- the camera is open ---
/** @param {ScanField} field */
async function showCamera(field) {
  const video = h("video.camera-film", { playsinline: true, autoplay: true, "aria-label": _("What the camera sees") });
  video.muted = true;
  const status = h("p.muted", { role: "status" }, _("Opening the camera…"));
  const tools = h("div.scan-tools");
  const round = setContent(field, PHASES.CAMERA, h("div.scan-film", {}, video), status, tools);
  // both at once: the reader is loaded while the camera opens
  const [seen, vendors] = await Promise.all([camera.openCamera(video).catch((/** @type {Error} */ problem) => problem), vendorFile()]);
  if (seen instanceof Error) return round === field.round && withoutCamera(field, seen);
  const close = button(_("Close the camera"), "x", async () => {
    camera.stop(seen);
    showIdle(field);
    await field.drawn;
    if (isFocusLost()) focusMainButton(document.body);
  });
  tools.replaceChildren(...toolsOf(seen), close);
  // the page's large button, which opened the camera, is hidden
  if (isFocusLost()) close.focus({ preventScroll: true });
  camera.listLenses().then((all) => all.length > 1 && tools.prepend(otherLens(seen)), console.warn);
  status.textContent = _("Point the camera at the label. If it is blurred, step back a hand's width.");
  return scanUntilRead(field, seen, vendors, round);
}

/** @param {ScanField} field @param {ScanCamera} seen @param {VendorFile} vendors @param {number} round */
async function scanUntilRead(field, seen, vendors, round) {
  const isWanted = () => round === field.round;
  const found = await scanLive(seen, { vendors, expected: field.expected, isWanted }).catch((/** @type {Error} */ problem) => problem);
  if (!isWanted()) return null;
  camera.stop(seen);
  if (!found) return showIdle(field);
  if (found instanceof Error) return showIdle(field, decoderFailedText(found));
  navigator.vibrate?.(80);
  return showReading(field, { ...found, vendors, takenAt: new Date() });
}

/** @param {unknown} problem */
function decoderFailedText(problem) {
  console.error(problem);
  return _("The scanner can't start. Take a photo of the label, or type the code.");
}

/** @param {ScanCamera} seen */
function toolsOf(seen) {
  const torch = camera.hasTorch(seen) && toggle(_("Torch"), (on) => camera.setTorch(seen, on));
  return /** @type {Node[]} */ ([torch, toggle(_("Zoom 2×"), (on) => camera.setZoom(seen, on))].filter(Boolean));
}

/** @param {string} label @param {(on: boolean) => Promise<void>} work */
function toggle(label, work) {
  /** @param {EventOn<HTMLButtonElement>} event */
  const onclick = async ({ currentTarget: pressed }) => {
    const on = pressed.getAttribute("aria-pressed") !== "true";
    await work(on).then(() => pressed.setAttribute("aria-pressed", String(on)), console.warn);
  };
  return h("button.phone-button", { type: "button", "aria-pressed": "false", onclick }, label);
}

/** @param {ScanCamera} seen */
function otherLens(seen) {
  return button(_("Switch lens"), "camera", () => camera.switchLens(seen).catch(console.warn), { "data-repeatable": true });
}

/** @param {ScanField} field @param {Error} problem */
function withoutCamera(field, problem) {
  field.hasCamera = false;
  showIdle(field, cameraProblemText(problem));
}

/** @param {Error} problem */
function cameraProblemText(problem) {
  if (problem.name === "NotAllowedError") return _("Camera access is blocked. Allow it in the browser's settings, take a photo of the label, or type the code.");
  return _("The camera can't be opened. Take a photo of the label, or type the code.");
}

// --- a photo was taken ---
/** @param {ScanField} field @param {File} file */
async function readFile(field, file) {
  const takenAt = new Date();
  const round = setContent(field, PHASES.READING, h("p.muted", { role: "status" }, _("Reading the label…")));
  const vendors = await vendorFile();
  const found = await readPhoto(file, { vendors, expected: field.expected }).catch((/** @type {Error} */ problem) => problem);
  if (round !== field.round) return null;
  return found instanceof Error ? showIdle(field, decoderFailedText(found)) : showReading(field, { ...found, file, vendors, takenAt });
}

// --- something was read ---
/** @param {ScanField} field @param {ScanShown} found */
function showReading(field, found) {
  const { label, canvas } = found;
  const reading = { found, fsan: label.fsan, serial_number: label.serial_number };
  field.reading = reading;
  const phase = () => (reading.fsan && reading.serial_number ? PHASES.WHOLE : PHASES.PART);
  const part = button(_("Use this reading"), "check", onTap(() => acceptReading(field, reading)));
  const again = field.hasCamera && button(_("Scan again"), "scan", openCamera);
  // the page's large button has the other one of the two
  const offer = () => {
    part.hidden = phase() === PHASES.WHOLE || !(reading.fsan || reading.serial_number);
    if (again) again.hidden = phase() === PHASES.PART;
  };
  /** @param {keyof OntValues} name @param {string} value */
  const choose = (name, value) => {
    reading[name] = value;
    offer();
    setPhase(field, phase());
  };
  const back = scanConfirmation({ label, canvas, vendors: found.vendors.vendors, expected: field.expected }, choose);
  offer();
  setContent(field, phase(), back, part, again, labelInput(field));
  /** @type {HTMLElement | null} */ (field.container.querySelector("[data-scan-read]"))?.focus();
}

/** @param {ScanField} field @param {ScanReading} reading */
async function acceptReading(field, { found, fsan, serial_number }) {
  const label = await pictureOf(found);
  // the page was left meanwhile
  if (!field.container.isConnected) return null;
  showIdle(field);
  return field.onRead({ fsan, serial_number, source: "camera", label });
}

// The picture that was read is always kept; a file that this browser cannot open goes up as it is.
/** @param {ScanShown} found @returns {Promise<LabelPhoto>} */
async function pictureOf({ canvas, file, takenAt }) {
  const { bytes, sha256 } = canvas ? await encodeJpeg(canvas, { quality: 0.85 }) : await withHash(await /** @type {File} */ (file).arrayBuffer());
  const id = newId();
  const body = { photo_id: id, question: LABEL, sha256, taken_at: takenAt.toISOString(), source: "camera" };
  return { picture: { id, bytes, sha256 }, body };
}

/** @type {Promise<VendorFile> | null} */
let vendorsAsked = null;
function vendorFile() {
  vendorsAsked ??= fetch(VENDORS, { credentials: "same-origin" }).then(
    (answer) => answer.json(),
    (problem) => {
      vendorsAsked = null;
      throw problem;
    },
  );
  return vendorsAsked;
}

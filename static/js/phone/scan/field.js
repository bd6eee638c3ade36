// The scan of a label in the page: the camera, a photo of the label, and what was read. Typed entry stands beside it.

import { jpegOf } from "../app/camera/picture.js";
import { h, icon } from "../app/dom.js";
import { newId } from "../app/ids.js";
import { _ } from "../app/words.js";
import * as camera from "./camera.js";
import { makeReady } from "./reading.js";
import { saidBack } from "./said.js";
import { readStill } from "./still.js";
import { watch } from "./watch.js";

// the evidence of a scan; no question of a matrix asks for it
const LABEL = "ONT_LABEL";
const VENDORS = "/phone/vendors.json";
// the page is drawn first
const READY_MS = 150;

// An element; nothing is seen of it before a tap. `onRead({fsan, serial_number, source, label})` when the engineer said
// that it is right; label = {picture, body} goes into the queue as photo_taken, together with the scan.
export function scanField({ job, onRead }) {
  const { fsan = "", serial_number: number = "" } = job.expected_ont ?? {};
  const place = h("div.scan.camera");
  const field = { place, onRead, expected: [fsan, number], round: 0 };
  rest(field);
  // a page that is only compared with the one on the screen is never put there
  setTimeout(() => place.isConnected && prepare(), READY_MS);
  return place;
}

// By the tap the reader is there; where it does not start, the tap will say so.
function prepare() {
  vendorFile().catch(() => {});
  makeReady().catch(() => {});
}

// A newer round ends the one before.
function put(field, ...content) {
  field.round += 1;
  field.place.replaceChildren(...content.flat(3).filter(Boolean));
  return field.round;
}

const button = (words, sign, onclick, more = {}) => h("button.phone-button", { type: "button", onclick, ...more }, icon(sign), " ", words);
const notice = (words) => h("p.notice.notice-warning", { role: "status" }, icon("warning"), " ", h("span", {}, words));

function rest(field, problem = "") {
  const open = camera.isThere() && button(_("Scan the label"), "scan", () => aim(field), { class: "scan-open" });
  put(field, problem && notice(problem), open, chooser(field));
}

function chooser(field) {
  const onchange = ({ target }) => target.files[0] && still(field, target.files[0]);
  const input = h("input", { type: "file", id: "scan-photo", accept: "image/*", capture: "environment", onchange });
  return h("div.camera-file", {}, input, h("label.phone-button", { for: "scan-photo" }, icon("camera"), " ", _("Photo of the label instead")));
}

// --- the camera is open ---
async function aim(field) {
  const video = h("video.camera-film", { playsinline: true, autoplay: true, "aria-label": _("What the camera sees") });
  video.muted = true;
  const words = h("p.muted", { role: "status" }, _("Opening the camera…"));
  const tools = h("div.scan-tools");
  const round = put(field, h("div.scan-film", {}, video), words, tools);
  // both at once: the reader is loaded while the camera opens
  const [seen, vendors] = await Promise.all([camera.opened(video).catch((problem) => problem), vendorFile()]);
  if (seen instanceof Error || seen instanceof DOMException) return round === field.round && rest(field, noCamera(seen));
  const close = button(_("Close the camera"), "x", () => {
    camera.stop(seen);
    rest(field);
  });
  tools.replaceChildren(...toolsOf(seen), close);
  camera.lenses().then((all) => all.length > 1 && tools.prepend(otherLens(seen)), console.warn);
  words.textContent = _("Hold the label into the picture. If it is blurred, step back a hand's width.");
  return looked(field, seen, vendors, round);
}

async function looked(field, seen, vendors, round) {
  const isWanted = () => round === field.round;
  const found = await watch(seen, { vendors, expected: field.expected, isWanted }).catch((problem) => problem);
  if (!isWanted()) return null;
  camera.stop(seen);
  if (!found) return rest(field);
  if (found instanceof Error) return rest(field, broken(found));
  navigator.vibrate?.(80);
  return say(field, { ...found, vendors, takenAt: new Date() });
}

function broken(problem) {
  console.error(problem);
  return _("The reader does not start here. Take a photo of the label, or type it.");
}

function toolsOf(seen) {
  const torch = camera.hasTorch(seen) && toggle(_("Light"), (on) => camera.torch(seen, on));
  return [torch, toggle(_("Two times larger"), (on) => camera.zoom(seen, on))].filter(Boolean);
}

function toggle(words, work) {
  const onclick = async ({ currentTarget: pressed }) => {
    const on = pressed.getAttribute("aria-pressed") !== "true";
    await work(on).then(() => pressed.setAttribute("aria-pressed", String(on)), console.warn);
  };
  return h("button.phone-button", { type: "button", "aria-pressed": "false", onclick }, words);
}

function otherLens(seen) {
  return button(_("Other lens"), "camera", () => camera.otherLens(seen).catch(console.warn));
}

function noCamera(problem) {
  if (problem.name === "NotAllowedError") return _("This page may not use the camera. Allow it in the browser's settings, take a photo of the label, or type it.");
  return _("The camera does not open here. Take a photo of the label, or type it.");
}

// --- a photo was taken ---
async function still(field, file) {
  const takenAt = new Date();
  const round = put(field, h("p.muted", { role: "status" }, _("Reading the label…")));
  const vendors = await vendorFile();
  const found = await readStill(file, { vendors, expected: field.expected }).catch((problem) => problem);
  if (round !== field.round) return null;
  return found instanceof Error ? rest(field, broken(found)) : say(field, { ...found, file, vendors, takenAt });
}

// --- something was read ---
function say(field, found) {
  const again = () => rest(field);
  const use = (values) => used(field, found, values);
  put(field, saidBack({ ...found, vendors: found.vendors.vendors, expected: field.expected }, { use, again }));
  field.place.querySelector("[data-scan-said]").focus();
}

async function used(field, found, { fsan, serial_number }) {
  const label = await pictureOf(found);
  rest(field);
  return field.onRead({ fsan, serial_number, source: "camera", label });
}

// The picture that was read is always kept; a file that this browser cannot open goes up as it is.
async function pictureOf({ canvas, file, takenAt }) {
  const { bytes, sha256 } = canvas ? await jpegOf(canvas, { quality: 0.85 }) : await hashed(file);
  const id = newId();
  const body = { photo_id: id, question: LABEL, sha256, taken_at: takenAt.toISOString(), source: "camera" };
  return { picture: { id, bytes, sha256 }, body };
}

async function hashed(file) {
  return { bytes: await file.arrayBuffer(), sha256: "" };
}

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

// A question that is answered with photos: the camera in the page first, the phone's own camera application second, the
// gallery only where the question allows it. A photo is reviewed before it is kept, and stored until then.

import { h, icon } from "../dom.js";
import { fileInput } from "../file_input.js";
import { currentPosition } from "../geolocation.js";
import { newId } from "../ids.js";
import { _ } from "../i18n.js";
import { focusMainButton, focusedIn, isFocusLost } from "./main_button_focus.js";
import { drawArrowOn } from "./arrow_drawing.js";
import * as live from "./live_camera.js";
import { preparePhoto, USUAL_SIZE } from "./photo_encoding.js";
import { invalidImageText } from "./photo_rejections.js";
import { photoPreview } from "./photo_preview.js";
import * as waiting from "./pending_photo.js";

const CAMERA = "camera";
const GALLERY = "gallery";
// the job whose last photo was kept from the camera in the page: its next photo question opens the camera at once
let seriesJob = "";
// the question of which one more was asked for
let nextQuestion = "";

// {body, bar}: `body` is what stands in the page, `bar` holds its one large button. `stored` are the ids of the answer so
// far. `onTaken({picture, body, position, more})` queues picture and answer, moves on and returns whether it did;
// `position` is a promise that is kept in any case; `more`: another one of the same question follows. `refuse(sha256)` says
// why a picture is no photo of this question.
/** @param {PhotoFieldOptions<PhotoQuestion>} options @returns {FieldParts} */
export function photoField({ job, question, stored = [], nextUrl = "", onTaken, refuse = () => Promise.resolve("") }) {
  const own = ["photo", job.id, question.code, ...stored].join(" ");
  const body = h("div.camera", { "data-component": own, "data-photo": question.code });
  const bar = h("div.phone-action", { "data-component": own });
  /** @type {PhotoField} */
  const field = { job, question, stored, nextUrl, onTaken, refuse, body, bar, position: null, isLive: false, wantsFocus: false };
  showIdle(field);
  waiting.resumeWhenShown(body, () => resume(field));
  return { body, bar };
}

/** @param {PhotoField} field */
async function resume(field) {
  const pending = await waiting.getPendingPhoto(field.job, field.question);
  // redrawn in the meantime, or a camera is open: the pending photo is not put over it
  if (!field.body.isConnected || field.body.hasAttribute("data-busy")) return;
  if (pending) showReview(field, pending);
  else if (isNextOfSeries(field)) await showCamera(field);
}

// An open question, or another photo that was just asked for.
/** @param {PhotoField} field */
function isNextOfSeries({ job, question, stored }) {
  return seriesJob === job.id && (nextQuestion === question.code || !stored.length);
}

// `busy` keeps a new version of the application away; a newly drawn page leaves the field alone in any case.
/** @param {PhotoField} field @param {FieldStage} stage */
function setContent(field, { busy, content, main }) {
  field.wantsFocus = focusedIn([field.body, field.bar]) !== null || (field.wantsFocus && isFocusLost());
  field.body.toggleAttribute("data-busy", busy);
  field.body.replaceChildren(.../** @type {Node[]} */ (content.flat().filter(Boolean)));
  field.bar.replaceChildren(main);
  if (field.wantsFocus) focusMainButton(field.bar);
}

/** @param {string} label @param {Listener | null} onclick @param {Attributes} [more] */
const mainButton = (label, onclick, more = {}) => h("button.main-button", { type: "button", onclick, ...more }, label);
/** @param {string} label @param {string} sign @param {Listener} onclick */
const button = (label, sign, onclick) => h("button.phone-button", { type: "button", onclick }, icon(sign), " ", label);
/** @param {string} tone @param {string} text */
const notice = (tone, text) => h(`p.notice.notice-${tone}`, { role: "status" }, icon("warning"), " ", h("span", {}, text));

// --- nothing is going on ---
/** @param {PhotoField} field @param {string} [problem] */
function showIdle(field, problem = "") {
  const { question, stored, nextUrl } = field;
  const [application, gallery] = [pictureInput(field, CAMERA), question.gallery && pictureInput(field, GALLERY)];
  const take = () => (live.hasCamera() ? showCamera(field) : application.querySelector("input")?.click());
  const label = stored.length ? _("Take another photo") : _("Take the photo");
  setContent(field, {
    busy: false,
    content: [problem && notice("alarm", problem), stored.length > 0 && button(label, "camera", take), application, gallery],
    main: stored.length && nextUrl ? h("a.main-button", { href: nextUrl }, _("Continue")) : mainButton(label, take),
  });
}

/** @param {PhotoField} field @param {string} source */
function pictureInput(field, source) {
  const id = source === CAMERA ? "photo" : "photo-gallery";
  /** @param {EventOn<HTMLInputElement>} event */
  const onchange = ({ target }) => target.files?.[0] && processPhoto(field, target.files[0], source);
  // opened now, the position is there by the time the picture is
  const onclick = () => requestPosition(field);
  const label = source === CAMERA ? _("Use the phone's camera") : _("Choose from the gallery");
  return fileInput(id, label, source === CAMERA ? "camera" : "image", { capture: source === CAMERA && "environment", onchange, onclick });
}

// --- the camera is open ---
/** @param {PhotoField} field */
async function showCamera(field) {
  const video = h("video.camera-film", { playsinline: true, muted: true, autoplay: true, "aria-label": _("What the camera sees") });
  video.muted = true;
  /** @type {PhotoCamera | null} */
  let camera = null;
  const shutter = mainButton(_("Opening the camera…"), () => camera && takeStill(field, camera, video), { disabled: true });
  const close = () => {
    seriesJob = nextQuestion = "";
    camera?.stop();
    showIdle(field);
  };
  setContent(field, { busy: true, content: [video, button(_("Close the camera"), "x", close)], main: shutter });
  requestPosition(field);
  try {
    camera = await live.openCamera(video);
  } catch (problem) {
    // closed meanwhile: what came another way is left alone
    if (!video.isConnected) return null;
    seriesJob = nextQuestion = "";
    return showIdle(field, cameraProblem(/** @type {Error} */ (problem)));
  }
  if (!video.isConnected) return camera.stop();
  shutter.disabled = false;
  shutter.replaceChildren(icon("camera"), " ", _("Take it"));
  if (field.wantsFocus && isFocusLost()) focusMainButton(field.bar);
  return null;
}

/** @param {Error} problem */
function cameraProblem({ name }) {
  if (name === "NotAllowedError") return _("Camera access is blocked. Allow it in the browser's settings, or use the phone's camera app.");
  return _("The camera can't be opened here. Use the phone's camera app.");
}

/** @param {PhotoField} field @param {PhotoCamera} camera @param {HTMLVideoElement} video */
async function takeStill(field, camera, video) {
  if (camera.ended()) return showIdle(field);
  field.isLive = true;
  // a second tap would take the film from the first
  /** @type {HTMLButtonElement} */ (field.bar.querySelector("button")).disabled = true;
  try {
    const still = await camera.still().finally(camera.stop);
    return field.body.contains(video) ? await processPhoto(field, still, CAMERA) : null;
  } catch (problem) {
    if (!field.body.contains(video)) return null;
    // the page was left in the meantime, and the camera with it
    console.warn("no still:", problem);
    return showIdle(field, invalidPictureText());
  }
}

const invalidPictureText = () => _("The photo could not be taken. Try again.");

// --- a picture was taken ---
/** @param {PhotoField} field @param {DrawnPhoto | Blob} source @param {string} from */
async function processPhoto(field, source, from) {
  const { job, question } = field;
  // the time first: everything else may take a while
  const taken_at = new Date().toISOString();
  setContent(field, { busy: true, content: [h("p.muted", { role: "status" }, _("One moment…"))], main: mainButton(_("One moment…"), null, { disabled: true }) });
  requestPosition(field);
  try {
    const picture = await preparePhoto(source, { ...USUAL_SIZE, ...question });
    const problem = await field.refuse(picture.sha256);
    if (problem) return showIdle(field, problem);
    return await keepForReview(field, { id: newId(), job: job.id, question: question.code, source: from, taken_at, ...picture });
  } catch (problem) {
    if (!invalidImageText(problem)) console.error(problem);
    return showIdle(field, invalidImageText(problem) || invalidPictureText());
  }
}

/** @param {PhotoField} field @param {PendingPhoto} pending */
async function keepForReview(field, pending) {
  const problem = await waiting.savePendingPhoto(pending);
  if (field.body.isConnected) showReview(field, pending, problem);
  else waiting.handOver(pending);
}

// Asked once for each picture; the answer travels with it, whenever it comes.
/** @param {PhotoField} field */
function requestPosition(field) {
  field.position ??= currentPosition();
}

// --- a picture is looked at ---
/** @param {PhotoField} field @param {PendingPhoto} pending @param {string} [problem] */
function showReview(field, pending, problem = "") {
  /** @param {boolean} more */
  const use = (more) => usePhoto(field, pending, more);
  const arrow = button(_("Draw an arrow"), "arrow-right", () => drawArrow(field, pending));
  setContent(field, {
    busy: true,
    content: [
      problem && notice("alarm", problem),
      qualityWarnings(pending.checks).map((warning) => notice("warning", warning)),
      photoPreview(pending, field.question.text, () => arrow.remove()),
      button(_("Take it again"), "undo", () => retake(field, pending)),
      arrow,
      button(_("Keep it, take another"), "camera", () => use(true)),
    ],
    main: mainButton(_("Keep it"), () => use(false)),
  });
}

/** @param {PhotoChecks} checks */
function qualityWarnings({ blur, dark, unreadable }) {
  // in the dark nothing is sharp: one warning is enough
  if (dark) return [_("This photo is very dark.")];
  if (blur) return [_("This photo looks blurred.")];
  return unreadable ? [_("The label may not be readable. Go closer, without glare.")] : [];
}

/** @param {PhotoField} field @param {PendingPhoto} pending */
async function retake(field, pending) {
  field.position = null;
  await waiting.dropPendingPhoto(pending);
  if (field.isLive) return showCamera(field);
  showIdle(field);
  return field.bar.querySelector("button")?.focus();
}

/** @param {PhotoField} field @param {PendingPhoto} pending */
function drawArrow(field, pending) {
  /** @param {EncodedPhoto | null} drawn */
  const back = (drawn) => (drawn ? keepForReview(field, { ...pending, ...drawn, original_sha256: pending.original_sha256 || pending.sha256 }) : showReview(field, pending));
  drawArrowOn(pending, { ...USUAL_SIZE, ...field.question }, { back, put: (stage) => setContent(field, { busy: true, ...stage }) });
}

/** @param {PhotoField} field @param {PendingPhoto} pending @param {boolean} more */
async function usePhoto(field, { bytes, ...pending }, more) {
  requestPosition(field);
  const { id, sha256 } = pending;
  const body = waiting.announcementOf(pending);
  if (field.isLive) seriesJob = field.job.id;
  nextQuestion = more ? field.question.code : "";
  // what another tab has taken for this question is reviewed before the next one
  const stays = more || (await waiting.hasOtherPending(pending));
  const isKept = await field.onTaken({ picture: { id, bytes, sha256 }, body, position: field.position, more: stays });
  if (isKept) await waiting.dropPendingPhoto(pending);
}

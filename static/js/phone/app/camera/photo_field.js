// A question that is answered with photos: the camera in the page first, the phone's own camera application second, the
// gallery only where the question allows it. A photo is reviewed before it is kept, and is stored meanwhile.

import { h, icon } from "../dom.js";
import { currentPosition } from "../geolocation.js";
import { newId } from "../ids.js";
import { StorageFull } from "../database.js";
import { _ } from "../i18n.js";
import { isGood } from "./photo_quality.js";
import { drawArrowOn } from "./arrow_drawing.js";
import * as live from "./live_camera.js";
import { preparePhoto } from "./photo_encoding.js";
import { invalidImageText } from "./photo_rejections.js";
import { photoPreview } from "./photo_preview.js";
import * as waiting from "./pending_photo.js";

const CAMERA = "camera";
const GALLERY = "gallery";
// the job whose last photo was kept from the camera in the page: its next photo question opens the camera at once
let seriesJob = "";
// the question of which one more was asked for
let nextQuestion = "";

// {body, bar}: `body` is what stands in the page, `bar` holds its one large button. `kept` are the ids of the answer so
// far. `onTaken({picture, body, position, more})` queues picture and answer, moves on and says whether it did;
// `position` is a promise that is kept in any case; `more`: another one of the same question follows.
export function photoField({ job, question, kept = [], nextUrl = "", onTaken }) {
  const own = ["photo", job.id, question.code, nextUrl, ...kept].join(" ");
  const body = h("div.camera", { "data-component": own, "data-photo": question.code });
  const bar = h("div.phone-action", { "data-component": own });
  const field = { job, question, kept, nextUrl, onTaken, body, bar, position: null };
  showIdle(field);
  // a page that is only compared with the one on the screen is never put there
  requestAnimationFrame(() => body.isConnected && resume(field).catch(console.error));
  return { body, bar };
}

async function resume(field) {
  const taken = await waiting.getPendingPhoto(field.job, field.question);
  // drawn anew in the meantime, or a camera is open: what is in hand is not put over it
  if (!field.body.isConnected || field.body.hasAttribute("data-busy")) return;
  if (taken) showReview(field, taken);
  else if (isNextOfSeries(field)) await showCamera(field);
}

// An open question, or another photo that was just asked for.
function isNextOfSeries({ job, question, kept }) {
  return seriesJob === job.id && (nextQuestion === question.code || !kept.length);
}

// `busy` keeps a new version of the application away; a newly drawn page leaves the field alone in any case.
function setContent(field, { busy, content, main }) {
  field.body.toggleAttribute("data-busy", busy);
  field.body.replaceChildren(...content.flat().filter(Boolean));
  field.bar.replaceChildren(...[main].flat().filter(Boolean));
}

const mainButton = (words, onclick, more = {}) => h("button.main-button", { type: "button", onclick, ...more }, words);
const button = (words, sign, onclick) => h("button.phone-button", { type: "button", onclick }, icon(sign), " ", words);
const notice = (tone, words) => h(`p.notice.notice-${tone}`, { role: "status" }, icon("warning"), " ", h("span", {}, words));

// --- nothing is going on ---
function showIdle(field, problem = "") {
  const { question, kept, nextUrl } = field;
  const [application, gallery] = [fileInput(field, CAMERA), question.gallery && fileInput(field, GALLERY)];
  const take = () => (live.hasCamera() ? showCamera(field) : application.querySelector("input").click());
  const words = kept.length ? _("Take another photo") : _("Take the photo");
  setContent(field, {
    busy: false,
    content: [problem && notice("alarm", problem), kept.length > 0 && button(words, "camera", take), application, gallery],
    main: kept.length && nextUrl ? h("a.main-button", { href: nextUrl }, _("Continue")) : mainButton(words, take),
  });
}

function fileInput(field, source) {
  const id = source === CAMERA ? "photo" : "photo-gallery";
  const onchange = ({ target }) => target.files[0] && processPhoto(field, target.files[0], source);
  // opened now, the position is there by the time the picture is
  const onclick = () => requestPosition(field);
  const input = h("input", { type: "file", id, accept: "image/*", capture: source === CAMERA && "environment", onchange, onclick });
  const words = source === CAMERA ? _("Use the phone's camera") : _("Choose from the gallery");
  return h("div.camera-file", {}, input, h("label.phone-button", { for: id }, icon(source === CAMERA ? "camera" : "image"), " ", words));
}

// --- the camera is open ---
async function showCamera(field) {
  const video = h("video.camera-film", { playsinline: true, muted: true, autoplay: true, "aria-label": _("What the camera sees") });
  video.muted = true;
  const shutter = mainButton(_("Opening the camera…"), () => takeStill(field, camera), { disabled: true });
  const close = () => {
    seriesJob = nextQuestion = "";
    camera?.stop();
    showIdle(field);
  };
  setContent(field, { busy: true, content: [video, button(_("Close the camera"), "x", close)], main: shutter });
  requestPosition(field);
  let camera = null;
  try {
    camera = await live.openCamera(video);
  } catch (problem) {
    seriesJob = nextQuestion = "";
    return showIdle(field, cameraProblem(problem));
  }
  if (!video.isConnected) return camera.stop();
  shutter.disabled = false;
  shutter.replaceChildren(icon("camera"), " ", _("Take it"));
  return null;
}

function cameraProblem({ name }) {
  if (name === "NotAllowedError") return _("Camera access is blocked. Allow it in the browser's settings, or use the phone's camera app.");
  return _("The camera can't be opened here. Use the phone's camera app.");
}

async function takeStill(field, camera) {
  if (camera.ended()) return showIdle(field);
  field.isLive = true;
  // a second tap would take the film from the first
  field.bar.querySelector("button").disabled = true;
  try {
    const still = await camera.still().finally(camera.stop);
    return await processPhoto(field, still, CAMERA);
  } catch (problem) {
    // the page was left meanwhile, and the camera with it
    console.warn("no still:", problem);
    return showIdle(field, invalidPictureText());
  }
}

const invalidPictureText = () => _("The photo could not be taken. Try again.");

// --- a picture was taken ---
async function processPhoto(field, source, from) {
  const { job, question } = field;
  // the time first: everything else may take a while
  const taken_at = new Date().toISOString();
  setContent(field, { busy: true, content: [h("p.muted", { role: "status" }, _("One moment…"))], main: mainButton(_("One moment…"), null, { disabled: true }) });
  requestPosition(field);
  try {
    const picture = await preparePhoto(source, question);
    await keepForReview(field, { id: newId(), job: job.id, question: question.code, source: from, taken_at, ...picture });
  } catch (problem) {
    if (!invalidImageText(problem)) console.error(problem);
    showIdle(field, invalidImageText(problem) || invalidPictureText());
  }
}

async function keepForReview(field, taken) {
  const problem = await waiting.savePendingPhoto(taken).then(() => "", storageFullText);
  showReview(field, taken, problem);
}

function storageFullText(problem) {
  if (!(problem instanceof StorageFull)) throw problem;
  return _("This phone is full. The photo is lost if you close this page: keep it now, or free up space first.");
}

// Asked once for each picture; the answer travels with it, whenever it comes.
function requestPosition(field) {
  field.position ??= currentPosition();
}

// --- a picture is looked at ---
function showReview(field, taken, problem = "") {
  const good = isGood(taken.checks);
  const use = (more) => usePhoto(field, taken, { more, anyway: !good });
  setContent(field, {
    busy: true,
    content: [
      problem && notice("alarm", problem),
      qualityWarnings(taken.checks).map((words) => notice("warning", words)),
      photoPreview(taken, field.question.text),
      button(_("Take it again"), "undo", () => retake(field, taken)),
      button(_("Draw an arrow"), "arrow-right", () => drawArrow(field, taken)),
      button(_("Keep it, take another"), "camera", () => use(true)),
    ],
    main: mainButton(_("Keep it"), () => use(false)),
  });
}

function qualityWarnings({ blur, dark, unreadable }) {
  // in the dark nothing is sharp: one word is enough
  if (dark) return [_("This photo is very dark.")];
  if (blur) return [_("This photo looks blurred.")];
  return unreadable ? [_("The label may not be readable. Go closer, without glare.")] : [];
}

async function retake(field, taken) {
  field.position = null;
  await waiting.dropPendingPhoto(taken.id);
  if (field.isLive) return showCamera(field);
  showIdle(field);
  return field.bar.querySelector("button")?.focus();
}

function drawArrow(field, taken) {
  const back = (drawn) => (drawn ? keepForReview(field, { ...taken, ...drawn, original_sha256: taken.original_sha256 || taken.sha256 }) : showReview(field, taken));
  drawArrowOn(taken, field.question, { back, put: (stage) => setContent(field, { busy: true, ...stage }) });
}

async function usePhoto(field, { bytes, ...taken }, { more, anyway }) {
  requestPosition(field);
  const { id, sha256, source, taken_at, checks, original_sha256 = "" } = taken;
  const body = { photo_id: id, question: field.question.code, sha256, taken_at, source, checks: { ...checks, used_anyway: anyway }, original_sha256 };
  if (field.isLive) seriesJob = field.job.id;
  nextQuestion = more ? field.question.code : "";
  const isKept = await field.onTaken({ picture: { id, bytes, sha256 }, body, position: field.position, more });
  if (isKept) await waiting.dropPendingPhoto(id);
}

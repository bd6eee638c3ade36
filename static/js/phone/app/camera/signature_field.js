// A question that is answered with a signature: a name and a signature pad. It is stored as a photo. Whoever cannot
// sign on glass signs on paper, which is photographed.

import { MAX_SIGNER_CHARACTERS, lengthProblem } from "../answer_validation.js";
import { h, icon } from "../dom.js";
import { fileInput } from "../file_input.js";
import { currentPosition } from "../geolocation.js";
import { newId } from "../ids.js";
import { _ } from "../i18n.js";
import { focusedIn, returnFocus } from "./main_button_focus.js";
import { createCanvas, encodeJpeg, preparePhoto, USUAL_SIZE } from "./photo_encoding.js";
import { invalidImageText } from "./photo_rejections.js";
import * as waiting from "./pending_photo.js";
import { photoPreview } from "./photo_preview.js";
import * as strokes from "./signature_strokes.js";

const SIZE = { width: 1200, height: 480 };
const INK = { quality: 0.9 };
const SOURCE = "camera";

// As photoField. A new signature replaces the one before.
/** @param {PhotoFieldOptions} options @returns {FieldParts} */
export function signatureField({ job, question, stored = [], nextUrl = "", onTaken, refuse = () => Promise.resolve("") }) {
  const own = ["signature", job.id, question.code, ...stored].join(" ");
  const [pad, context] = createCanvas(SIZE.width, SIZE.height);
  /** @type {SignatureField} */
  const signing = {
    job,
    question,
    onTaken,
    refuse,
    pad,
    context,
    strokes: strokes.NO_STROKES,
    body: h("div.camera", { "data-component": own, "data-photo": question.code }),
    name: nameField(job),
    isAnswered: stored.length > 0,
    bar: h("div.phone-action", { "data-component": own }),
    nextUrl,
  };
  listenToPad(signing);
  setContent(signing);
  waiting.resumeWhenShown(signing.body, () => resume(signing));
  return { body: signing.body, bar: signing.bar };
}

/** @param {SignatureField} signing */
async function resume(signing) {
  const pending = await waiting.getPendingPhoto(signing.job, signing.question);
  if (pending && signing.body.isConnected && !signing.body.hasAttribute("data-busy")) showReview(signing, pending);
}

/** @param {Job} job */
function nameField(job) {
  const value = job.page?.contact?.[0]?.value ?? "";
  return h("input", { id: "signer", type: "text", autocomplete: "off", value, "aria-describedby": "signer-problem" });
}

/** @param {SignatureField} signing */
function setContent(signing) {
  const { pad, name, isAnswered, nextUrl } = signing;
  const focused = focusedIn([signing.body, signing.bar]);
  Object.assign(pad, { className: "camera-pad", tabIndex: -1 });
  pad.setAttribute("role", "img");
  pad.setAttribute("aria-label", _("Sign here"));
  pad.setAttribute("aria-describedby", "pad-problem");
  signing.body.replaceChildren(
    signerField(name),
    h("div.field", {}, h("p", {}, _("Sign here with a finger")), pad, problemLine("pad-problem")),
    h("button.phone-button", { type: "button", "data-repeatable": true, onclick: () => drawStrokes(signing, strokes.undoStroke(signing.strokes)) }, icon("undo"), " ", _("Undo the last stroke")),
    paperButton(signing),
  );
  const save = h("button.main-button", { type: "button", onclick: () => sign(signing) }, isAnswered ? _("Sign again") : _("Save the signature"));
  const onward = nextUrl && h("a.main-button", { href: nextUrl }, _("Continue"));
  if (onward) save.className = "phone-button";
  if (onward) signing.body.append(save);
  signing.bar.replaceChildren(onward || save);
  drawStrokes(signing, signing.strokes);
  signing.body.toggleAttribute("data-busy", signing.strokes.length > 0);
  returnFocus(focused, signing.bar);
}

/** @param {HTMLInputElement} name */
const signerField = (name) => h("div.field", {}, h("label", { for: "signer" }, _("Signed by")), name, problemLine("signer-problem"));

/** @param {string} id */
const problemLine = (id) => h("p.field-problem", { id, role: "alert" });

/** @param {SignatureField} signing */
function paperButton(signing) {
  /** @param {EventOn<HTMLInputElement>} event */
  const onchange = ({ target }) => target.files?.[0] && reviewPaperPhoto(signing, target.files[0], target);
  return fileInput("photo", _("Photo of a signature on paper"), "camera", { capture: "environment", onchange });
}

/** @param {SignatureField} signing */
function listenToPad(signing) {
  const { pad } = signing;
  pad.addEventListener("pointerdown", (event) => {
    pad.setPointerCapture(event.pointerId);
    signing.body.toggleAttribute("data-busy", true);
    drawStrokes(signing, strokes.beginStroke(signing.strokes, pointOf(pad, event)));
  });
  pad.addEventListener("pointermove", (event) => {
    if (!pad.hasPointerCapture(event.pointerId)) return;
    // between two frames a finger goes further than one straight line
    const all = event.getCoalescedEvents?.() ?? [];
    drawStrokes(signing, (all.length ? all : [event]).reduce((so, pointer) => strokes.extendStroke(so, pointOf(pad, pointer)), signing.strokes));
    if (strokes.isSigned(signing.strokes)) showProblem(signing, "pad-problem", "");
  });
  signing.name.addEventListener("input", () => showProblem(signing, "signer-problem", ""));
}

/** @param {Element} pad @param {MouseEvent} event @returns {Point} */
function pointOf(pad, { clientX, clientY }) {
  const box = pad.getBoundingClientRect();
  return { x: (clientX - box.left) / box.width, y: (clientY - box.top) / box.height };
}

/** @param {SignatureField} signing @param {Strokes} next */
function drawStrokes(signing, next) {
  signing.strokes = next;
  strokes.paintStrokes(signing.context, next, SIZE);
}

/** @param {SignatureField} signing */
async function sign(signing) {
  if (!isNamed(signing)) return null;
  const problem = strokes.isSigned(signing.strokes) ? "" : _("There is no signature yet.");
  showProblem(signing, "pad-problem", problem);
  if (problem) return null;
  const drawn = await encodeJpeg(signing.pad, INK);
  return saveSignature(signing, { id: newId(), taken_at: new Date().toISOString(), ...drawn });
}

/** @param {SignatureField} signing @param {File} file @param {HTMLInputElement} input */
async function reviewPaperPhoto(signing, file, input) {
  const taken_at = new Date().toISOString();
  // so that the same file can be chosen again
  input.value = "";
  signing.body.toggleAttribute("data-busy", true);
  try {
    const picture = await preparePhoto(file, USUAL_SIZE);
    const reason = await signing.refuse(picture.sha256);
    if (reason) return showPaperProblem(signing, reason);
    /** @type {PendingPhoto} */
    const pending = { id: newId(), job: signing.job.id, question: signing.question.code, source: SOURCE, taken_at, ...picture };
    const problem = await waiting.savePendingPhoto(pending);
    return signing.body.isConnected ? showReview(signing, pending, problem) : waiting.handOver(pending);
  } catch (problem) {
    if (!invalidImageText(problem)) console.error(problem);
    return showPaperProblem(signing, invalidImageText(problem) || _("The photo could not be taken. Try again."));
  }
}

/** @param {SignatureField} signing @param {string} text */
function showPaperProblem(signing, text) {
  signing.body.toggleAttribute("data-busy", signing.strokes.length > 0);
  showProblem(signing, "pad-problem", text);
}

// A photo of a signature is looked at before it is kept, like every photo.
/** @param {SignatureField} signing @param {PendingPhoto} pending @param {string} [problem] */
function showReview(signing, pending, problem = "") {
  const keep = async () => isNamed(signing) && (await saveSignature(signing, pending)) && waiting.dropPendingPhoto(pending);
  const again = async () => {
    await waiting.dropPendingPhoto(pending);
    setContent(signing);
  };
  const focused = focusedIn([signing.body, signing.bar]);
  signing.body.toggleAttribute("data-busy", true);
  signing.body.replaceChildren(
    problem ? h("p.notice.notice-alarm", { role: "status" }, icon("warning"), " ", h("span", {}, problem)) : "",
    signerField(signing.name),
    photoPreview(pending, signing.question.text),
    h("button.phone-button", { type: "button", onclick: again }, icon("undo"), " ", _("Take it again")),
  );
  signing.bar.replaceChildren(h("button.main-button", { type: "button", onclick: keep }, _("Keep it")));
  returnFocus(focused, signing.bar);
}

/** @param {SignatureField} signing */
function isNamed(signing) {
  const { value } = signing.name;
  const problem = value.trim() ? lengthProblem(value, MAX_SIGNER_CHARACTERS) : _("Enter the name of the person signing.");
  showProblem(signing, "signer-problem", problem);
  if (problem) signing.name.focus();
  return !problem;
}

/** @param {SignatureField} signing @param {string} id @param {string} text */
function showProblem(signing, id, text) {
  const line = signing.body.querySelector(`#${id}`);
  if (!line) return;
  line.replaceChildren(...(text ? [icon("warning"), " ", text] : []));
  line.closest(".field")?.classList.toggle("field-wrong", Boolean(text));
  // the pad is a picture, which cannot be invalid: its problem is its description
  if (text) line.closest(".field")?.querySelector("input")?.setAttribute("aria-invalid", "true");
  else line.closest(".field")?.querySelector("input")?.removeAttribute("aria-invalid");
}

// Whether it is kept.
/** @param {SignatureField} signing @param {EncodedPhoto & Pick<PendingPhoto, "id" | "taken_at">} photo */
async function saveSignature(signing, { id, bytes, sha256, taken_at }) {
  const body = { photo_id: id, question: signing.question.code, sha256, taken_at, source: SOURCE, signer: signing.name.value.trim() };
  const isKept = await signing.onTaken({ picture: { id, bytes, sha256 }, body, position: currentPosition(), more: false });
  if (isKept) signing.body.toggleAttribute("data-busy", false);
  return isKept;
}

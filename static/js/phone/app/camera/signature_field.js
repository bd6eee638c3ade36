// A question that is answered with a signature: a name and a signature pad. It is stored as a photo. Whoever cannot
// sign on glass signs on paper, which is photographed.

import { lengthProblem } from "../answer_validation.js";
import { h, icon } from "../dom.js";
import { fileInput } from "../file_input.js";
import { currentPosition } from "../geolocation.js";
import { newId } from "../ids.js";
import { _ } from "../i18n.js";
import { createCanvas, encodeJpeg, preparePhoto } from "./photo_encoding.js";
import { invalidImageText } from "./photo_rejections.js";
import { photoPreview } from "./photo_preview.js";
import * as strokes from "./signature_strokes.js";

const SIZE = { width: 1200, height: 480 };
const MAX_NAME_LENGTH = 120;
const INK = { quality: 0.9 };

// As photoField. A new signature replaces the one before.
/** @param {PhotoFieldOptions} options @returns {FieldParts} */
export function signatureField({ job, question, stored = [], nextUrl = "", onTaken }) {
  const own = ["signature", job.id, question.code, nextUrl, ...stored].join(" ");
  const [pad, context] = createCanvas(SIZE.width, SIZE.height);
  /** @type {SignatureField} */
  const signing = {
    question,
    onTaken,
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
  return { body: signing.body, bar: signing.bar };
}

/** @param {Job} job */
function nameField(job) {
  const value = job.page?.contact?.[0]?.value ?? "";
  return h("input", { id: "signer", type: "text", autocomplete: "off", value, "aria-describedby": "signer-problem" });
}

/** @param {SignatureField} signing */
function setContent(signing) {
  const { pad, name, isAnswered, nextUrl } = signing;
  Object.assign(pad, { className: "camera-pad", tabIndex: -1 });
  pad.setAttribute("role", "img");
  pad.setAttribute("aria-label", _("Sign here"));
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
  return saveSignature(signing, await encodeJpeg(signing.pad, INK), "camera");
}

/** @param {SignatureField} signing @param {File} file @param {HTMLInputElement} input */
async function reviewPaperPhoto(signing, file, input) {
  // so that the same file can be chosen again
  input.value = "";
  signing.body.toggleAttribute("data-busy", true);
  try {
    showReview(signing, await preparePhoto(file, signing.question));
  } catch (problem) {
    if (!invalidImageText(problem)) console.error(problem);
    signing.body.toggleAttribute("data-busy", signing.strokes.length > 0);
    showProblem(signing, "pad-problem", invalidImageText(problem) || _("The photo could not be taken. Try again."));
  }
}

// A photo of a signature is looked at before it is kept, like every photo.
/** @param {SignatureField} signing @param {EncodedPhoto} pending */
function showReview(signing, pending) {
  const keep = async () => isNamed(signing) && saveSignature(signing, pending, "camera");
  const again = () => setContent(signing);
  signing.body.replaceChildren(
    signerField(signing.name),
    photoPreview(pending, signing.question.text),
    h("button.phone-button", { type: "button", onclick: again }, icon("undo"), " ", _("Take it again")),
  );
  signing.bar.replaceChildren(h("button.main-button", { type: "button", onclick: keep }, _("Keep it")));
}

/** @param {SignatureField} signing */
function isNamed(signing) {
  const { value } = signing.name;
  const problem = value.trim() ? lengthProblem(value, MAX_NAME_LENGTH) : _("Enter the name of the person signing.");
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
}

/** @param {SignatureField} signing @param {EncodedPhoto} photo @param {string} source */
async function saveSignature(signing, { bytes, sha256 }, source) {
  const picture = { id: newId(), bytes, sha256 };
  const body = { photo_id: picture.id, question: signing.question.code, sha256, taken_at: new Date().toISOString(), source, signer: signing.name.value.trim() };
  if (await signing.onTaken({ picture, body, position: currentPosition(), more: false })) signing.body.toggleAttribute("data-busy", false);
}

// The ONT's label: read by the camera or typed, checked by the engineer, and submitted.

import { isPhotoOf } from "../camera/photo_rejections.js";
import { getDraft, deleteDraft, saveDraft } from "../drafts.js";
import { findInput, h, icon, inputAt } from "../dom.js";
import { normalizeFsan, fsanProblem, groupFsan, isAnotherDevice, isAsExpected, isSameDevice, normalizeSerial, serialProblem, partialFsanProblem } from "../label_validation.js";
import { differenceNotice, labelImage } from "../label_comparison.js";
import { newId } from "../ids.js";
import { navigateFrom, redirect, render } from "../router.js";
import { firstMissing, isOpen, labelQuestion, nextUrl, questionUrl, jobUrl } from "../workflow.js";
import { onTap, showProblems, dropRefused, problemsAt, recordActions, recordWithPhoto } from "../actions.js";
import { _, fill } from "../i18n.js";
import { draftInput, inputElement, stepForm } from "./answer_fields.js";
import { fieldProblem, stepLayout, problemAt, secondaryLink } from "./step_layout.js";
import * as parts from "./components.js";
import * as jobParts from "./job_components.js";

const DUPLICATE = "duplicate_device";

// the job for which the camera is to open as soon as its page is there
let cameraWantedFor = "";

/** @param {Job} job */
export const openCameraFor = (job) => void (cameraWantedFor = job.id);

/** @param {JobContext} context */
export async function scanScreen(context) {
  const { job, path } = context;
  if (!job.has_ont_scan || job.state !== "on_site") return redirect(jobUrl(job, "next"));
  const refused = refusedScan(job);
  const draft = /** @type {Draft} */ ({ ...refused?.entry.body, ...(await getDraft(path)) });
  const slips = problemsAt(path);
  const remaining = refusalProblems(refused).filter(({ message }) => !slips.some((slip) => slip.message === message));
  const problems = [...remaining, ...slips];
  const scanner = await import("../../scan/scan_field.js");
  const page = stepLayout(context, {
    name: "scan",
    title: _("Scan the ONT"),
    problems: remaining,
    body: [
      h("h1", { id: "question" }, _("Scan the ONT")),
      expectedOnt(job),
      cameraPart(context, scanner),
      typedForm(context, scanner, draft, problems),
    ],
    ways: secondaryActions(context),
    bar: mainAction(context, scanner, draft),
  });
  return { ...page, shown: () => openCameraIfWanted(job, scanner) };
}

/** @param {Job} job @param {Scanner} scanner */
function openCameraIfWanted(job, scanner) {
  if (cameraWantedFor !== job.id) return;
  cameraWantedFor = "";
  scanner.openCamera();
}

// The next right thing: take a good reading over, send what was typed, or else read the label.
/** @param {JobContext} context @param {Scanner} scanner @param {Draft} draft */
function mainAction(context, scanner, draft) {
  const { PHASES } = scanner;
  // a page that is redrawn has a scanner that is idle
  const phase = context.moved ? PHASES.IDLE : scanner.currentPhase();
  const open = () => scanner.openCamera();
  const isReading = phase === PHASES.CAMERA || phase === PHASES.READING;
  // who types while the camera finds nothing has the values that are asked for
  if ((isReading || phase === PHASES.PART || isTypedOver(scanner.currentReading(), draft)) && isWholeDraft(draft)) return submitButton(context.job, draft);
  // an element all the same: as many as before, so that the camera's own is left alone (dom_diff.js)
  if (isReading) return h("div.phone-action", { hidden: true });
  if (phase === PHASES.PART) return largeButton(_("Scan again"), open);
  if (phase === PHASES.WHOLE) return largeButton(useReadingText(context.job, scanner.currentReading()), onTap(() => scanner.useReading()));
  if (draft.fsan || draft.serial_number) return submitButton(context.job, draft);
  // what was typed a moment ago is sent, although the button has not changed its label yet
  const onclick = () => (typedValues().some(Boolean) ? submitForm() : open());
  return largeButton(phase === PHASES.NO_CAMERA ? _("Photograph the label") : _("Scan the label"), onclick);
}

/** @param {Job} job @param {Draft} draft */
const submitButton = (job, draft) => parts.mainButton(isConfirmationAsked(job, draft) ? _("Correct, submit scan") : _("Submit scan"));
/** @param {Draft} draft */
const isWholeDraft = ({ fsan = "", serial_number: serial = "" }) => !fsanProblem(normalizeFsan(fsan)) && !serialProblem(normalizeSerial(serial));

// Whether other values were typed while this reading was on the screen: they are the later word.
/** @param {OntValues | null} reading @param {Draft} draft */
const isTypedOver = (reading, draft) => reading !== null && draft.typed_over === valuesKey(reading);

const submitForm = () => /** @type {HTMLFormElement} */ (document.querySelector("#step")).requestSubmit();
/** @param {Job} job @param {OntValues | null} reading */
const useReadingText = (job, reading) => (reading && isUnexpected(job, reading) ? _("Correct, use this code") : _("Use this code"));
/** @param {string} label @param {Listener} onclick */
const largeButton = (label, onclick) => parts.mainButton(label, { form: null, type: "button", onclick });
const typedValues = () => [normalizeFsan(inputAt("#fsan").value), normalizeSerial(inputAt("#serial_number").value)];

/** @param {Job} job */
const refusedScan = (job) => /** @type {RefusedScan | undefined} */ (job.refused.findLast(({ entry }) => entry.kind === "ont_scanned"));

/** @param {RefusedScan | undefined} refused @returns {ScreenProblem[]} */
const refusalProblems = (refused) =>
  (refused?.problems ?? []).map(({ message, code, where }) => ({ message, code, url: "#fsan", field: where, device: refused?.entry.body.fsan }));

/** @param {Job} job */
function expectedOnt({ page }) {
  return page.expected_ont.length > 0 && parts.section("expected-title", _("Expected"), parts.factList(page.expected_ont));
}

// The reader belongs to another part of the application; a whole reading that the engineer has looked at is sent.
/** @param {JobContext} context @param {Scanner} scanner */
function cameraPart(context, scanner) {
  const { job, path } = context;
  /** @param {ScanAccepted} accepted */
  const onRead = async ({ fsan, serial_number: serial, source = "camera", label = null }) => {
    if (label) readings.set(path, { label, fsan, serial_number: serial });
    else readings.delete(path);
    const values = Object.fromEntries(Object.entries({ fsan, serial_number: serial }).filter(([, value]) => value));
    for (const [id, value] of Object.entries(values)) inputAt(`#${id}`).value = value;
    saveDraft(path, { ...values, source, asked: fsan && serial ? valuesKey(values) : "" });
    return fsan && serial ? submitScan(context) : render();
  };
  return h("div", { "data-component": `scan ${job.id}` }, scanner.scanField({ job, onRead, onPhase: render }));
}

// what was read last, and the picture of its label
/** @type {Map<string, OntValues & { label: LabelPhoto }>} */
const readings = new Map();

// The picture, unless another device was typed since.
/** @param {string} path @param {OntValues} values */
function matchingLabel(path, values) {
  const last = readings.get(path);
  return last && isSameDevice(last, values) ? last.label : null;
}

// A difference from what is expected is asked about once for these very values.
/** @param {Draft | OntValues} values */
const valuesKey = ({ fsan = "", serial_number: serial = "" }) => `${normalizeFsan(fsan)} ${normalizeSerial(serial)}`;
/** @param {Job} job @param {Draft | OntValues} values */
const isUnexpected = ({ expected_ont: { fsan, serial_number: serial } }, values) =>
  !isAsExpected(normalizeFsan(values.fsan ?? ""), fsan) || !isAsExpected(normalizeSerial(values.serial_number ?? ""), serial);
/** @param {Job} job @param {Draft} draft */
const isConfirmationAsked = (job, draft) => isUnexpected(job, draft) && draft.asked === valuesKey(draft);

/** @param {JobContext} context @param {Scanner} scanner @param {Draft} draft @param {ScreenProblem[]} problems */
function typedForm(context, scanner, draft, problems) {
  const { path } = context;
  const duplicate = problems.findLast(({ code }) => code === DUPLICATE);
  // what was corrected in the meantime is no problem any more
  const fsan = duplicate || fsanProblem(normalizeFsan(draft.fsan ?? "")) ? problemAt(problems, "fsan") : "";
  const serial = serialProblem(normalizeSerial(draft.serial_number ?? "")) && problemAt(problems, "serial_number");
  return stepForm(
    onTap(() => submitScan(context)),
    isConfirmationAsked(context.job, draft) && labelCheck(context, draft),
    valueInput(path, scanner, { id: "fsan", label: _("FSAN"), hint: _("4 letters, then 8 characters 0 to 9 or A to F"), value: draft.fsan, problem: fsan }),
    liveFeedback(context, draft),
    valueInput(path, scanner, { id: "serial_number", label: _("Serial number"), hint: _("S/N on the label"), value: draft.serial_number, problem: serial }),
    duplicate && duplicateConfirmation(duplicate.device),
  );
}

/** @param {string} path @param {Scanner} scanner @param {{ id: keyof OntValues, label: string, hint: string, value?: string, problem: string }} field */
function valueInput(path, scanner, { id, label, hint, value = "", problem }) {
  const keep = draftInput(path, id);
  /** @param {EventOn<HTMLInputElement>} event */
  const oninput = (event) => {
    // what a hand has changed is typed
    saveDraft(path, { source: "typed", typed_over: valuesKey(scanner.currentReading() ?? {}) });
    keep(event);
  };
  const attributes = { name: id, type: "text", class: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", "aria-describedby": `${id}-form` };
  return h(
    `div.field${problem ? ".field-wrong" : ""}`,
    {},
    h("label", { for: id }, label),
    h("p.hint", { id: `${id}-form` }, hint),
    fieldProblem(id, problem),
    inputElement("input", { id, value, ...attributes, oninput }, problem),
  );
}

// What was understood so far: the maker, and the first character that cannot be.
/** @param {JobContext} context @param {Draft} draft */
function liveFeedback({ day }, { fsan: text = "" }) {
  const fsan = normalizeFsan(text);
  const isWhole = text && !fsanProblem(fsan);
  const wrong = isWhole ? "" : partialFsanProblem(text);
  return h(
    "div.phone-feedback",
    { "aria-live": "polite" },
    wrong && h("p.phone-feedback-line.phone-feedback-wrong", {}, icon("warning"), " ", wrong),
    isWhole && h("p.phone-feedback-line", {}, icon("check"), " ", h("span.code", {}, groupFsan(fsan)), ` ${day.vendors?.[fsan.slice(0, 4)] ?? ""}`),
  );
}

// The values next to the label's picture, before they are sent for the second tap.
/** @param {JobContext} context @param {Draft} draft */
function labelCheck({ job, path }, { fsan, serial_number: serial }) {
  const values = { fsan: normalizeFsan(fsan), serial_number: normalizeSerial(serial) };
  return h(
    "section.phone-check-label",
    { "aria-labelledby": "check-title" },
    h("h2", { id: "check-title", tabindex: "-1" }, _("Check the label")),
    readLabelImage(matchingLabel(path, values)),
    differenceNotice(values, job.expected_ont),
  );
}

// Of the picture that was read here, one address as long as it is shown.
/** @param {LabelPhoto | null} label */
function readLabelImage(label) {
  if (!label) return "";
  label.url ??= URL.createObjectURL(new Blob([label.picture.bytes], { type: "image/jpeg" }));
  return labelImage(label.url);
}

// Of this one device: another one that is typed afterwards is asked about again.
/** @param {string | undefined} device */
function duplicateConfirmation(device) {
  return h(
    "div.phone-duplicate",
    {},
    h("p", {}, _("Check which ONT is installed where. If this one is here, use it anyway. If not, enter a different ONT.")),
    h("label.phone-check", {}, h("input", { type: "checkbox", id: "duplicate_confirmed", name: "duplicate_confirmed", "data-device": device }), ` ${_("Use it anyway")}`),
  );
}

/** @param {JobContext} context */
function secondaryActions({ job, matrix }) {
  const work = job.type === "revisit" && firstMissing(job, matrix, "work");
  return h("div.phone-more-actions", {}, work && secondaryLink(questionUrl(job, work), "", _("Keep the ONT – continue with the questions")), jobParts.cantCompleteLink(job));
}

/** @param {JobContext} context */
async function submitScan(context) {
  const { job, matrix, path, wizard } = context;
  const draft = await getDraft(path);
  const [fsan, serial] = typedValues();
  const box = findInput("#duplicate_confirmed");
  const isConfirmed = box?.checked === true && box.dataset.device === fsan;
  const problems = [...valueProblems(fsan, serial), ...(isConfirmed ? [] : duplicateProblems(context, fsan))];
  if (problems.length) return showProblems(problems);
  const values = { fsan, serial_number: serial };
  // a device that is confirmed although it is on another job was asked about already
  if (!isConfirmed && isUnexpected(job, values) && draft?.asked !== valuesKey(values)) return askToConfirm(path, values);
  const body = { scan_id: newId(), fsan, serial_number: serial, source: draft?.source ?? "typed", duplicate_confirmed: isConfirmed };
  /** @type {Tap} */
  const scan = { kind: "ont_scanned", body };
  const label = matchingLabel(path, values);
  const question = labelQuestion(job, matrix)?.code ?? "";
  const after = label ? await scanWithLabel(job, scan, label, question) : await recordActions(job, [scan, ...reopenedQuestions(job, fsan, question)]);
  readings.delete(path);
  // a page that ends now must not find the old values when it comes back
  await deleteDraft(path);
  if (label) await dropRefused(job, isPhotoOf(question || label.body.question));
  return navigateFrom(path, nextUrl(after.job, after.matrix, wizard));
}

// The picture that was read is the photo of the label, of the device that was scanned last; where no question asks for
// one it is evidence of the scan only.
/** @param {Job} job @param {Tap} scan @param {LabelPhoto} label @param {string} question */
function scanWithLabel(job, scan, { picture: pending, body }, question) {
  if (!question) return recordWithPhoto(job, { picture: pending, body }, { first: [scan] });
  /** @type {() => Tap[]} */
  const last = () => [{ kind: "answered", body: { question, value: [pending.id] } }];
  return recordWithPhoto(job, { picture: pending, body: { ...body, question } }, { first: [scan], last });
}

// The photo of the device before proves nothing of another one: its question is asked again.
/** @param {Job} job @param {string} fsan @param {string} question @returns {Tap[]} */
function reopenedQuestions({ answers, scan }, fsan, question) {
  const isOutdated = scan?.fsan && question in answers && isAnotherDevice(fsan, scan.fsan);
  return isOutdated ? [{ kind: "answer_withdrawn", body: { question } }] : [];
}

/** @param {string} path @param {OntValues} values */
async function askToConfirm(path, values) {
  saveDraft(path, { ...values, asked: valuesKey(values) });
  await render();
  document.getElementById("check-title")?.focus();
}

/** @param {string} fsan @param {string} serial @returns {ScreenProblem[]} */
function valueProblems(fsan, serial) {
  return [
    { message: fsanProblem(fsan), url: "#fsan", field: "fsan" },
    { message: serialProblem(serial), url: "#serial_number", field: "serial_number" },
  ].filter(({ message }) => message);
}

// On another open job: as the server has reported for this device already, or by this phone.
/** @param {JobContext} context @param {string} fsan @returns {ScreenProblem[]} */
function duplicateProblems({ job, day }, fsan) {
  const refused = refusedScan(job);
  const known = refused?.entry.body.fsan === fsan ? refusalProblems(refused).filter(({ code }) => code === DUPLICATE) : [];
  if (known.length) return known;
  const other = day.jobs.find((candidate) => candidate.id !== job.id && isOpen(candidate) && candidate.scan?.fsan === fsan);
  if (!other) return [];
  const message = fill(_("%(fsan)s was scanned for our open job %(job)s at %(place)s."), { fsan, job: other.id, place: other.page.address });
  return [{ code: DUPLICATE, message, url: "#fsan", field: "fsan", device: fsan }];
}

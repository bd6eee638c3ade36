// The ONT's label: read by the camera or typed, said back, and sent when the engineer says that it is right.

import { isPhotoOf } from "../camera/photo_rejections.js";
import { draftAt, dropDraft, keepDraft } from "../drafts.js";
import { h, icon } from "../dom.js";
import { fsanOf, fsanProblem, grouped, isAnotherDevice, isAsExpected, isOfDevice, serialOf, serialProblem, wrongSoFar } from "../label_validation.js";
import { differing, picture } from "../label_comparison.js";
import { newId } from "../ids.js";
import { go, instead, show } from "../router.js";
import { firstMissing, isOpen, labelQuestion, nextUrl, questionUrl, urlOf } from "../workflow.js";
import { once, refuse, replaceRefused, slipAt, tap, tapWithPicture } from "../actions.js";
import { _, fill } from "../i18n.js";
import { drafting, field, form } from "./answer_fields.js";
import { fieldProblem, frame, problemAt, way } from "./step_layout.js";
import * as parts from "./components.js";

const DUPLICATE = "duplicate_device";

// the job for which the camera is to open as soon as its page is there
let wanted = "";

export const openCameraFor = (job) => {
  wanted = job.id;
};

export async function scanScreen(context) {
  const { job, path } = context;
  if (!job.has_ont_scan || job.state !== "on_site") return instead(urlOf(job, "next"));
  const refused = refusedScan(job);
  const draft = { ...refused?.entry.body, ...(await draftAt(path)) };
  const slips = slipAt(path);
  const told = toldOf(refused).filter(({ message }) => !slips.some((one) => one.message === message));
  const problems = [...told, ...slips];
  const scanner = await import("../../scan/scan_field.js");
  const page = frame(context, {
    name: "scan",
    title: _("Scan the ONT"),
    problems: told,
    body: [
      h("h1", { id: "question" }, _("Scan the ONT")),
      expected(job),
      camera(context, scanner),
      typed(context, draft, problems),
    ],
    ways: ways(context),
    bar: bar(context, scanner, draft),
  });
  return { ...page, shown: () => openAtOnce(job, scanner) };
}

function openAtOnce(job, scanner) {
  if (wanted !== job.id) return;
  wanted = "";
  scanner.openCamera();
}

// The next right thing: take a good reading over, send what was typed, or else read the label.
function bar(context, scanner, draft) {
  const { PHASES } = scanner;
  // a page that is put in anew has a scanner that is at rest
  const phase = context.moved ? PHASES.IDLE : scanner.phaseNow();
  const open = () => scanner.openCamera();
  // an element all the same: as many as before, so that the camera's own is left alone (dom_diff.js)
  if (phase === PHASES.CAMERA || phase === PHASES.READING) return h("div.phone-action", { hidden: true });
  if (phase === PHASES.PART) return large(_("Scan again"), open);
  if (phase === PHASES.WHOLE) return large(useWords(context.job, scanner.readingNow()), once(() => scanner.useReading()));
  const isTyped = Boolean(draft.fsan || draft.serial_number);
  if (isTyped) return parts.mainButton(isAsked(context.job, draft) ? _("Correct, submit scan") : _("Submit scan"));
  // what was typed a moment ago is sent, although the button has not changed its words yet
  const onclick = (event) => (typedNow().some(Boolean) ? document.querySelector("#step").requestSubmit() : open(event));
  return large(phase === PHASES.NO_CAMERA ? _("Photograph the label") : _("Scan the label"), onclick);
}

const useWords = (job, reading) => (isUnexpected(job, reading) ? _("Correct, use this code") : _("Use this code"));
const large = (words, onclick) => parts.mainButton(words, { form: null, type: "button", onclick });
const typedNow = () => [fsanOf(document.querySelector("#fsan").value), serialOf(document.querySelector("#serial_number").value)];

const refusedScan = (job) => job.refused.findLast(({ entry }) => entry.kind === "ont_scanned");

const toldOf = (refused) =>
  (refused?.problems ?? []).map(({ message, code, where }) => ({ message, code, url: "#fsan", field: where, device: refused.entry.body.fsan }));

function expected({ page }) {
  return page.expected_ont.length > 0 && parts.section("expected-title", _("Expected"), parts.facts(page.expected_ont));
}

// The reader belongs to another part of the application; a whole reading that the engineer has looked at is sent.
function camera(context, scanner) {
  const { job, path } = context;
  const onRead = async ({ fsan, serial_number: serial, source = "camera", label = null }) => {
    if (label) read.set(path, { label, fsan, serial_number: serial });
    else read.delete(path);
    const values = Object.fromEntries(Object.entries({ fsan, serial_number: serial }).filter(([, value]) => value));
    for (const [id, value] of Object.entries(values)) document.getElementById(id).value = value;
    keepDraft(path, { ...values, source, asked: fsan && serial ? keyOf(values) : "" });
    return fsan && serial ? send(context) : show();
  };
  return h("div", { "data-own": `scan ${job.id}` }, scanner.scanField({ job, onRead, onPhase: show }));
}

// what was read last, and the picture of its label
const read = new Map();

// The picture, unless another device was typed since.
function labelOf(path, values) {
  const last = read.get(path);
  return last && isOfDevice(last, values) ? last.label : null;
}

// A difference from what is expected is asked about once for these very values.
const keyOf = ({ fsan = "", serial_number: serial = "" }) => `${fsanOf(fsan)} ${serialOf(serial)}`;
const isUnexpected = ({ expected_ont: { fsan, serial_number: serial } }, values) =>
  !isAsExpected(fsanOf(values.fsan ?? ""), fsan) || !isAsExpected(serialOf(values.serial_number ?? ""), serial);
const isAsked = (job, draft) => isUnexpected(job, draft) && draft.asked === keyOf(draft);

function typed(context, draft, problems) {
  const { path } = context;
  const duplicate = problems.findLast(({ code }) => code === DUPLICATE);
  // what was mended meanwhile is not complained of any more
  const fsan = duplicate || fsanProblem(fsanOf(draft.fsan ?? "")) ? problemAt(problems, "fsan") : "";
  const serial = serialProblem(serialOf(draft.serial_number ?? "")) && problemAt(problems, "serial_number");
  return form(
    once(() => send(context)),
    isAsked(context.job, draft) && check(context, draft),
    input(path, { id: "fsan", label: _("FSAN"), hint: _("4 letters, then 8 characters 0 to 9 or A to F"), value: draft.fsan, problem: fsan }),
    saidBack(context, draft),
    input(path, { id: "serial_number", label: _("Serial number"), hint: _("S/N on the label"), value: draft.serial_number, problem: serial }),
    duplicate && confirmation(duplicate.device),
  );
}

function input(path, { id, label, hint, value = "", problem }) {
  const keep = drafting(path, id);
  const oninput = (event) => {
    // what a hand has changed is typed
    keepDraft(path, { source: "typed" });
    keep(event);
  };
  const attributes = { name: id, type: "text", class: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", "aria-describedby": `${id}-form` };
  return h(
    `div.field${problem ? ".field-wrong" : ""}`,
    {},
    h("label", { for: id }, label),
    h("p.hint", { id: `${id}-form` }, hint),
    fieldProblem(id, problem),
    field("input", { id, value, ...attributes, oninput }, problem),
  );
}

// What was understood so far: the maker, and the first character that cannot be.
function saidBack({ day }, { fsan: text = "" }) {
  const fsan = fsanOf(text);
  const isWhole = text && !fsanProblem(fsan);
  const wrong = isWhole ? "" : wrongSoFar(text);
  return h(
    "div.phone-said",
    { "aria-live": "polite" },
    wrong && h("p.phone-live.phone-live-wrong", {}, icon("warning"), " ", wrong),
    isWhole && h("p.phone-live", {}, icon("check"), " ", h("span.code", {}, grouped(fsan)), ` ${day.vendors?.[fsan.slice(0, 4)] ?? ""}`),
  );
}

// The values beside the label's picture, before they are sent for the second tap.
function check({ job, path }, { fsan, serial_number: serial }) {
  const values = { fsan: fsanOf(fsan), serial_number: serialOf(serial) };
  return h(
    "section.phone-check-label",
    { "aria-labelledby": "check-title" },
    h("h2", { id: "check-title", tabindex: "-1" }, _("Check the label")),
    labelPicture(labelOf(path, values)),
    differing(values, job.expected_ont),
  );
}

// Of the picture that was read here, one address as long as it is shown.
function labelPicture(label) {
  if (!label) return "";
  label.url ??= URL.createObjectURL(new Blob([label.picture.bytes], { type: "image/jpeg" }));
  return picture(label.url);
}

// Of this one device: another one that is typed afterwards is asked about anew.
function confirmation(device) {
  return h(
    "div.phone-duplicate",
    {},
    h("p", {}, _("Check which device is where. If this one is here, use it anyway; otherwise type another one.")),
    h("label.phone-check", {}, h("input", { type: "checkbox", id: "duplicate_confirmed", name: "duplicate_confirmed", "data-device": device }), ` ${_("Use it anyway")}`),
  );
}

function ways({ job, matrix }) {
  const work = job.type === "revisit" && firstMissing(job, matrix, "work");
  return h("div.phone-ways", {}, work && way(questionUrl(job, work), "", _("The ONT stays: go on with the questions")), parts.cantComplete(job));
}

async function send(context) {
  const { job, matrix, path, trail } = context;
  const draft = await draftAt(path);
  const [fsan, serial] = typedNow();
  const box = document.querySelector("#duplicate_confirmed");
  const isConfirmed = Boolean(box?.checked) && box.dataset.device === fsan;
  const problems = [...wrong(fsan, serial), ...(isConfirmed ? [] : twice(context, fsan))];
  if (problems.length) return refuse(problems);
  const values = { fsan, serial_number: serial };
  // a device that is confirmed although it is on another job was asked about already
  if (!isConfirmed && isUnexpected(job, values) && draft?.asked !== keyOf(values)) return ask(path, values);
  const body = { scan_id: newId(), fsan, serial_number: serial, source: draft?.source ?? "typed", duplicate_confirmed: isConfirmed };
  const scan = { kind: "ont_scanned", body };
  const label = labelOf(path, values);
  const question = labelQuestion(job, matrix)?.code;
  const after = label ? await scanWithLabel(job, scan, label, question) : await tap(job, [scan, ...reopened(job, fsan, question)]);
  read.delete(path);
  // a page that ends now must not find the old values when it comes back
  await dropDraft(path);
  if (label) await replaceRefused(job, isPhotoOf(question ?? label.body.question));
  return go(nextUrl(after.job, after.matrix, trail));
}

// The picture that was read is the photo of the label, of the device that was scanned last; where no question asks for
// one it is evidence of the scan only.
function scanWithLabel(job, scan, { picture: taken, body }, question) {
  if (!question) return tapWithPicture(job, { picture: taken, body }, { first: [scan] });
  const then = [{ kind: "answered", body: { question, value: [taken.id] } }];
  return tapWithPicture(job, { picture: taken, body: { ...body, question } }, { first: [scan], then });
}

// The photo of the device before proves nothing of another one: its question is asked again.
function reopened({ answers, scan }, fsan, question) {
  const isOutdated = scan?.fsan && question in answers && isAnotherDevice(fsan, scan.fsan);
  return isOutdated ? [{ kind: "answer_withdrawn", body: { question } }] : [];
}

async function ask(path, values) {
  keepDraft(path, { ...values, asked: keyOf(values) });
  await show();
  document.getElementById("check-title").focus();
}

function wrong(fsan, serial) {
  return [
    { message: fsanProblem(fsan), url: "#fsan", field: "fsan" },
    { message: serialProblem(serial), url: "#serial_number", field: "serial_number" },
  ].filter(({ message }) => message);
}

// On another open job: by what the server has said of this very device already, or of this phone.
function twice({ job, day }, fsan) {
  const refused = refusedScan(job);
  const known = refused?.entry.body.fsan === fsan ? toldOf(refused).filter(({ code }) => code === DUPLICATE) : [];
  if (known.length) return known;
  const other = day.jobs.find((one) => one.id !== job.id && isOpen(one) && one.scan?.fsan === fsan);
  if (!other) return [];
  const message = fill(_("%(fsan)s was scanned for our open job %(job)s at %(place)s."), { fsan, job: other.id, place: other.page.address });
  return [{ code: DUPLICATE, message, url: "#fsan", field: "fsan", device: fsan }];
}

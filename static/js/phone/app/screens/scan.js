// The ONT's label: read by the camera or typed, said back, and sent when the engineer says that it is right.

import { draftAt, dropDraft, keepDraft } from "../drafts.js";
import { h, icon } from "../dom.js";
import { fsanOf, fsanProblem, grouped, serialOf, serialProblem, wrongSoFar } from "../label.js";
import { newId } from "../ids.js";
import { go, instead, show } from "../router.js";
import { firstMissing, isOpen, nextUrl, questionUrl, urlOf } from "../steps.js";
import { once, refuse, replaceRefused, slipAt, tap, tapWithPicture } from "../taps.js";
import { _, fill } from "../words.js";
import { drafting, field, form } from "./fields.js";
import { fieldProblem, frame, problemAt, way } from "./frame.js";
import * as parts from "./parts.js";

const DUPLICATE = "duplicate_device";

export async function scanScreen(context) {
  const { job, path } = context;
  if (!job.has_ont_scan || job.state !== "on_site") return instead(urlOf(job, "next"));
  const refused = refusedScan(job);
  const draft = { ...refused?.entry.body, ...(await draftAt(path)) };
  const slips = slipAt(path);
  const told = toldOf(refused).filter(({ message }) => !slips.some((one) => one.message === message));
  const problems = [...told, ...slips];
  return frame(context, {
    name: "scan",
    title: _("Scan the ONT"),
    problems: told,
    body: [
      h("h1", { id: "question" }, _("Scan the ONT")),
      expected(job),
      await camera(context),
      typed(context, draft, problems),
    ],
    ways: ways(context),
    bar: parts.mainButton(_("Send to the seller")),
  });
}

const refusedScan = (job) => job.refused.findLast(({ entry }) => entry.kind === "ont_scanned");

const toldOf = (refused) =>
  (refused?.problems ?? []).map(({ message, code, where }) => ({ message, code, url: "#fsan", field: where, device: refused.entry.body.fsan }));

function expected({ page }) {
  return page.expected_ont.length > 0 && parts.section("expected-title", _("Expected"), parts.facts(page.expected_ont));
}

// The reader belongs to another part of the application; what it read stands in the fields before it is sent.
async function camera({ job, path }) {
  const { scanField } = await import("../../scan/field.js");
  const onRead = ({ fsan, serial_number: serial, source = "camera", label = null }) => {
    read.set(path, label);
    keepDraft(path, { fsan, serial_number: serial, source });
    for (const [id, value] of Object.entries({ fsan, serial_number: serial })) document.getElementById(id).value = value;
    return show();
  };
  return h("div", { "data-own": `scan ${job.id}` }, scanField({ job, onRead }));
}

// the picture of the label that was read last
const read = new Map();

function typed(context, draft, problems) {
  const { path } = context;
  const duplicate = problems.findLast(({ code }) => code === DUPLICATE);
  // what was mended meanwhile is not complained of any more
  const fsan = duplicate || fsanProblem(fsanOf(draft.fsan ?? "")) ? problemAt(problems, "fsan") : "";
  const serial = serialProblem(serialOf(draft.serial_number ?? "")) && problemAt(problems, "serial_number");
  return form(
    once(() => send(context)),
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

// What was understood so far: the maker, the first character that cannot be, and whether it is the expected device.
function saidBack({ job, day }, { fsan: text = "" }) {
  const fsan = fsanOf(text);
  const isWhole = text && !fsanProblem(fsan);
  const wrong = isWhole ? "" : wrongSoFar(text);
  const differs = isWhole && job.expected_ont.fsan && job.expected_ont.fsan !== fsan;
  return h(
    "div.phone-said",
    { "aria-live": "polite" },
    wrong && h("p.phone-live.phone-live-wrong", {}, icon("warning"), " ", wrong),
    isWhole && h("p.phone-live", {}, icon("check"), " ", h("span.code", {}, grouped(fsan)), ` ${day.vendors?.[fsan.slice(0, 4)] ?? ""}`),
    differs && h("p.notice.notice-warning", {}, icon("warning"), " ", h("span", {}, _("This is not the expected ONT. You may use it; the seller decides."))),
  );
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
  const { job, path, trail } = context;
  const draft = await draftAt(path);
  const fsan = fsanOf(document.querySelector("#fsan").value);
  const serial = serialOf(document.querySelector("#serial_number").value);
  const box = document.querySelector("#duplicate_confirmed");
  const isConfirmed = Boolean(box?.checked) && box.dataset.device === fsan;
  const problems = [...wrong(fsan, serial), ...(isConfirmed ? [] : twice(context, fsan))];
  if (problems.length) return refuse(problems);
  const body = { scan_id: newId(), fsan, serial_number: serial, source: draft?.source ?? "typed", duplicate_confirmed: isConfirmed };
  const scan = { kind: "ont_scanned", body };
  const label = read.get(path);
  const after = label ? await tapWithPicture(job, label, { first: [scan] }) : await tap(job, [scan]);
  read.delete(path);
  dropDraft(path);
  await replaceRefused(job, ({ kind }) => kind === "ont_scanned");
  return go(nextUrl(after.job, after.matrix, trail));
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

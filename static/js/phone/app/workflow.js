// The next step for an engineer, over a job of optimistic_state.js (tests/data/step_vectors.json). The server does not
// decide it.

import { applicableQuestions, missingQuestions, unsafeAnswers } from "../flow.js";
import { _ } from "./i18n.js";

// What an engineer is on the way to, in each address: a closure that is no success, or questions while waiting.
export function parseWizard(search) {
  const given = new URLSearchParams(search);
  return {
    closing: given.get("closing") ?? "",
    secondary: given.get("secondary") ?? "",
    whileWaiting: given.get("waiting") === "1",
    after: given.get("after") ?? "",
  };
}

export const DEFAULT_WIZARD = parseWizard("");

export function jobUrl(job, name = "", wizard = DEFAULT_WIZARD) {
  const words = new URLSearchParams();
  for (const key of ["closing", "secondary", "after"]) if (wizard[key]) words.set(key, wizard[key]);
  if (wizard.whileWaiting) words.set("waiting", "1");
  const query = words.toString();
  return `/phone/jobs/${encodeURIComponent(job.id)}/${name ? `${name}/` : ""}${query ? `?${query}` : ""}`;
}

export const questionUrl = (job, question, wizard) => jobUrl(job, `question/${question.code}`, wizard);

const isOpen = (job) => !["closed", "cancelled"].includes(job.state);
const successClosure = (job) => job.closures.find((one) => one.succeeds);
// No code yet means the success; one that we do not know is Other reason, as in closures/codes.py.
const OTHER = { code: "OTHER", succeeds: false };
export function findClosure(job, code) {
  const known = (wanted) => job.closures.find((one) => one.code === wanted);
  return code ? (known(code) ?? known(OTHER.code) ?? OTHER) : successClosure(job);
}

// The questions of an ending: all of the work for a success, safety and its own evidence otherwise.
export function listQuestions(job, matrix, closingCode = "") {
  const closure = findClosure(job, closingCode);
  let stages = closure?.succeeds === false ? ["safety", "closing"] : ["safety", "work", "closing"];
  if (job.state !== "on_site" || closure?.from_safe_place) stages = ["closing"];
  return applicableQuestions(matrix, { jobType: job.type, answers: job.answers, stages, closureCode: closure?.code ?? "" });
}

export function getProgress(job, matrix, closingCode = "") {
  const questions = listQuestions(job, matrix, closingCode);
  return { done: questions.filter(({ code }) => code in job.answers).length, total: questions.length };
}

// {name, label, url}, or null when nobody waits for this engineer any more.
export function nextStep(job, matrix) {
  if (job.state === "assigned") return { name: "travel", label: _("On my way"), url: jobUrl(job, "travel") };
  if (job.state === "en_route") return { name: "arrive", label: _("I'm on site"), url: jobUrl(job, "arrive") };
  return job.state === "on_site" ? onSiteStep(job, matrix) : null;
}

// The safety question whose answer stops the work, or null.
export const stoppingQuestion = (job, matrix) => unsafeAnswers(matrix, { jobType: job.type, answers: job.answers })[0] ?? null;

function onSiteStep(job, matrix) {
  const stopped = stoppingQuestion(job, matrix);
  if (stopped) return { name: "stop", label: _("Stop: not safe"), url: questionUrl(job, stopped) };
  const safety = firstMissing(job, matrix, "safety");
  if (safety) return { name: "question", label: _("Safety questions"), url: questionUrl(job, safety) };
  const device = deviceStep(job, matrix);
  if (device) return device;
  const work = firstMissing(job, matrix, "work");
  if (work) return { name: "question", label: _("Questions and photos"), url: questionUrl(job, work) };
  return { name: "review", label: _("Review and close"), url: jobUrl(job, "review") };
}

function deviceStep(job, matrix) {
  if (!job.has_ont_scan) return null;
  if (!job.scan) {
    const scan = { name: "scan", label: _("Scan the ONT"), url: jobUrl(job, "scan") };
    return isScanPassedOver(job, matrix) ? null : scan;
  }
  if (isProvisioned(job)) return null;
  return { name: "provisioning", label: _("Wait for provisioning"), url: jobUrl(job, "provisioning") };
}

// Result 1 or 2 for the ONT scanned last: dispatch/ont_scans.py decides alike, tests/data/provisioning_vectors.json.
const SUCCESSFUL_RESULTS = [1, 2];
export const isProvisioned = (job) => Boolean(job.scan) && SUCCESSFUL_RESULTS.includes(job.result?.result_id);

// A revisit may leave the ONT alone: whoever went on to the work has decided so.
function isScanPassedOver(job, matrix) {
  const work = applicableQuestions(matrix, { jobType: job.type, answers: job.answers, stages: ["work"] });
  return job.type === "revisit" && work.some(({ code }) => code in job.answers);
}

export function firstMissing(job, matrix, stage) {
  return missingQuestions(matrix, { jobType: job.type, answers: job.answers, stages: [stage] })[0] ?? null;
}

// The question that the picture of a scanned label answers: a photo of something to be read, among those of the work.
export function labelQuestion(job, matrix) {
  const work = applicableQuestions(matrix, { jobType: job.type, answers: job.answers, stages: ["work"] });
  return work.find(({ kind, label }) => kind === "photo" && label) ?? null;
}

// The next open question behind this one in its stage, optional ones too.
function following(job, matrix, { after, closing }) {
  const questions = listQuestions(job, matrix, closing);
  const place = questions.findIndex(({ code }) => code === after);
  if (place < 0) return null;
  const rest = questions.slice(place + 1).filter(({ stage }) => stage === questions[place].stage);
  return rest.find(({ code }) => !(code in job.answers)) ?? null;
}

// Where the large button of a step goes on to.
export function nextUrl(job, matrix, wizard) {
  const step = nextStep(job, matrix);
  if (!step) return jobUrl(job);
  const onWizard = { ...wizard, after: "" };
  if (step.name === "stop" && !wizard.closing) return step.url;
  const question = following(job, matrix, wizard);
  if (question && job.state === "on_site") return questionUrl(job, question, onWizard);
  if (wizard.closing) return nextForClosing(job, matrix, onWizard);
  if (wizard.whileWaiting && step.name === "provisioning") {
    const work = firstMissing(job, matrix, "work");
    return work ? questionUrl(job, work, onWizard) : step.url;
  }
  return step.url;
}

function nextForClosing(job, matrix, wizard) {
  if (job.state !== "on_site") return jobUrl(job, "arrive", wizard);
  const open = listQuestions(job, matrix, wizard.closing).find(
    ({ code, mandatory = true }) => mandatory && !(code in job.answers),
  );
  return open ? questionUrl(job, open, wizard) : closeUrl(job, wizard.closing, wizard.secondary);
}

export function closeUrl(job, code, secondary = "") {
  const words = new URLSearchParams({ code, ...(secondary ? { secondary } : {}) });
  return `${jobUrl(job, "close")}?${words}`;
}

// The question before this one of the same stage; the job for the first.
export function backUrl(job, matrix, question, wizard) {
  const questions = listQuestions(job, matrix, wizard.closing);
  const place = questions.findIndex(({ code }) => code === question.code);
  const before = questions[place - 1];
  return before?.stage === question.stage ? questionUrl(job, before, { ...wizard, after: "" }) : jobUrl(job);
}

export { isOpen, successClosure };

// The next step for an engineer, over a job of optimistic_state.js (tests/data/step_vectors.json). The server does not
// decide it.

import { applicableQuestions, missingQuestions, unsafeAnswers } from "../flow.js";
import { _ } from "./i18n.js";

// What an engineer is on the way to, in each address: a closure that is no success, or questions while waiting.
/** @param {string} search @returns {Wizard} */
export function parseWizard(search) {
  const parameters = new URLSearchParams(search);
  return {
    closing: parameters.get("closing") ?? "",
    secondary: parameters.get("secondary") ?? "",
    whileWaiting: parameters.get("waiting") === "1",
    after: parameters.get("after") ?? "",
  };
}

export const DEFAULT_WIZARD = parseWizard("");

/** @param {Pick<Job, "id">} job @param {string} [name] @param {Wizard} [wizard] */
export function jobUrl(job, name = "", wizard = DEFAULT_WIZARD) {
  const parameters = new URLSearchParams();
  for (const key of /** @type {const} */ (["closing", "secondary", "after"])) if (wizard[key]) parameters.set(key, wizard[key]);
  if (wizard.whileWaiting) parameters.set("waiting", "1");
  const query = parameters.toString();
  return `/phone/jobs/${encodeURIComponent(job.id)}/${name ? `${name}/` : ""}${query ? `?${query}` : ""}`;
}

/** @param {Pick<Job, "id">} job @param {Pick<Question, "code">} question @param {Wizard} [wizard] */
export const questionUrl = (job, question, wizard) => jobUrl(job, `question/${question.code}`, wizard);

/** @param {Pick<ServerJob, "state">} job */
const isOpen = (job) => !["closed", "cancelled"].includes(job.state);

// In which states a tap moves the job, as dispatch/states.py has it (tests/data/move_vectors.json).
/** @type {{ [kind in MoveKind]: JobState[] }} */
const LEGAL_IN = { en_route: ["assigned"], on_site: ["assigned", "en_route"], close: ["assigned", "en_route", "on_site"] };
/** @param {MoveKind} kind @param {Pick<ServerJob, "state">} job */
export const isLegal = (kind, job) => LEGAL_IN[kind].includes(job.state);

/** @param {Job} job @returns {ClosureCode} */
const successClosure = (job) => /** @type {ClosureCode} */ (job.closures.find((closure) => closure.succeeds));
// No code yet means the success; one that we do not know is Other reason, as in closures/codes.py.
const OTHER = /** @type {ClosureCode} */ ({ code: "OTHER", succeeds: false });
/** @param {Job} job @param {string} code */
export function findClosure(job, code) {
  /** @param {string} wanted */
  const known = (wanted) => job.closures.find((closure) => closure.code === wanted);
  return code ? (known(code) ?? known(OTHER.code) ?? OTHER) : successClosure(job);
}

// The questions of an ending: all of the work for a success, safety and its own evidence otherwise.
/** @param {Job} job @param {Matrix} matrix @param {string} [closingCode] */
export function listQuestions(job, matrix, closingCode = "") {
  const closure = findClosure(job, closingCode);
  let stages = closure?.succeeds === false ? ["safety", "closing"] : ["safety", "work", "closing"];
  if (job.state !== "on_site" || closure?.from_safe_place || closure?.without_access) stages = ["closing"];
  return applicableQuestions(matrix, { jobType: job.type, answers: job.answers, stages, closureCode: closure?.code ?? "" });
}

/** @param {Job} job @param {Matrix} matrix @param {string} [closingCode] */
export function getProgress(job, matrix, closingCode = "") {
  const questions = listQuestions(job, matrix, closingCode);
  return { done: questions.filter(({ code }) => code in job.answers).length, total: questions.length };
}

// Whether the engineer of this phone accompanies the one who works through the job.
/** @param {Pick<ServerJob, "team">} job */
export const isSecond = (job) => Boolean(job.team?.is_second);

// Null when nobody waits for this engineer any more, and for whoever accompanies.
/** @param {Job} job @param {Matrix} matrix @returns {Step | null} */
export function nextStep(job, matrix) {
  if (isSecond(job)) return null;
  if (job.state === "assigned") return { name: "travel", label: _("On my way"), url: jobUrl(job, "travel") };
  if (job.state === "en_route") return { name: "arrive", label: _("I'm on site"), url: jobUrl(job, "arrive") };
  return job.state === "on_site" ? onSiteStep(job, matrix) : null;
}

// The safety question whose answer stops the work, or null.
/** @param {Job} job @param {Matrix} matrix @returns {Question | null} */
export const stoppingQuestion = (job, matrix) => unsafeAnswers(matrix, { jobType: job.type, answers: job.answers })[0] ?? null;

/** @param {Job} job @param {Matrix} matrix @returns {Step} */
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

/** @param {Job} job @param {Matrix} matrix @returns {Step | null} */
function deviceStep(job, matrix) {
  if (!job.has_ont_scan) return null;
  if (!job.scan) {
    const scan = { name: "scan", label: _("Scan the ONT"), url: jobUrl(job, "scan") };
    return isScanPassedOver(job, matrix) ? null : scan;
  }
  if (isProvisioned(job)) return null;
  return { name: "provisioning", label: provisioningLabel(job), url: jobUrl(job, "provisioning") };
}

// of installation-jobs.md: provisioning goes on
const IN_PROGRESS = 4;

// Nobody waits for an ONT that failed.
/** @param {Job} job */
function provisioningLabel(job) {
  const isFailed = job.result && job.result.result_id !== IN_PROGRESS;
  return isFailed ? _("Provisioning failed: what to do") : _("Wait for provisioning");
}

// Result 1 or 2 for the ONT scanned last: dispatch/ont_scans.py decides alike, tests/data/provisioning_vectors.json.
const SUCCESSFUL_RESULTS = [1, 2];
/** @param {Job} job */
export const isProvisioned = (job) => Boolean(job.scan) && SUCCESSFUL_RESULTS.includes(job.result?.result_id ?? 0);

// A revisit may leave the ONT alone: whoever went on to the work has decided so.
/** @param {Job} job @param {Matrix} matrix */
function isScanPassedOver(job, matrix) {
  const work = applicableQuestions(matrix, { jobType: job.type, answers: job.answers, stages: ["work"] });
  return job.type === "revisit" && work.some(({ code }) => code in job.answers);
}

/** @param {Job} job @param {Matrix} matrix @param {Stage} stage @returns {Question | null} */
export function firstMissing(job, matrix, stage) {
  return missingQuestions(matrix, { jobType: job.type, answers: job.answers, stages: [stage] })[0] ?? null;
}

// The question that the picture of a scanned label answers: a photo of something to be read, among those of the work.
/** @param {Job} job @param {Matrix} matrix */
export function labelQuestion(job, matrix) {
  const work = applicableQuestions(matrix, { jobType: job.type, answers: job.answers, stages: ["work"] });
  return work.find(({ kind, label }) => kind === "photo" && label) ?? null;
}

// The next open question behind this one in its stage, optional ones too.
/** @param {Job} job @param {Matrix} matrix @param {Wizard} wizard */
function following(job, matrix, { after, closing }) {
  const questions = listQuestions(job, matrix, closing);
  const index = questions.findIndex(({ code }) => code === after);
  if (index < 0) return null;
  const rest = questions.slice(index + 1).filter(({ stage }) => stage === questions[index].stage);
  return rest.find(({ code }) => !(code in job.answers)) ?? null;
}

// Where the large button of a step goes on to.
/** @param {Job} job @param {Matrix} matrix @param {Wizard} wizard */
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

/** @param {Job} job @param {Matrix} matrix @param {Wizard} wizard */
function nextForClosing(job, matrix, wizard) {
  if (job.state !== "on_site") return jobUrl(job, "arrive", wizard);
  const open = listQuestions(job, matrix, wizard.closing).find(
    ({ code, mandatory = true }) => mandatory && !(code in job.answers),
  );
  return open ? questionUrl(job, open, wizard) : closeUrl(job, wizard.closing, wizard.secondary);
}

/** @param {Job} job @param {string} code @param {string} [secondary] */
export function closeUrl(job, code, secondary = "") {
  const parameters = new URLSearchParams({ code, ...(secondary ? { secondary } : {}) });
  return `${jobUrl(job, "close")}?${parameters}`;
}

// The question before this one of the same stage; the job for the first.
/** @param {Job} job @param {Matrix} matrix @param {Question} question @param {Wizard} wizard */
export function backUrl(job, matrix, question, wizard) {
  const questions = listQuestions(job, matrix, wizard.closing);
  const index = questions.findIndex(({ code }) => code === question.code);
  const before = questions[index - 1];
  return before?.stage === question.stage ? questionUrl(job, before, { ...wizard, after: "" }) : jobUrl(job);
}

export { isOpen, successClosure };

// Validates a closure, with the same rules as closures/closure_validation.py, over a job of optimistic_state.js: all
// problems at once, each with the page that fixes it; and lists the closure codes to offer. A photo of this
// phone that is not uploaded yet is no problem: the closure waits for it in the queue.

import { DEFAULT_WIZARD, findClosure, isProvisioned, listQuestions, questionUrl, stoppingQuestion, jobUrl } from "./workflow.js";
import { displayAnswer, lengthProblem, rangeWarning } from "./answer_validation.js";
import { samePhotoText, samePhotos, unsentPhotos, unsentPhotosText } from "./photo_proofs.js";
import { _, fill } from "./i18n.js";

// In the order in which a person would mend them.
/** @param {Job} job @param {Matrix} matrix @param {{ closure: ClosureCode, secondary?: string, remarks?: string, wizard: Wizard, checked?: readonly string[] }} ending */
export function validateClosure(job, matrix, { closure, secondary = "", remarks = "", wizard, checked = [] }) {
  const questions = listQuestions(job, matrix, closure.code);
  return [
    ...validateForm(job, closure, { secondary, remarks }),
    ...onSiteProblems(job, wizard),
    ...safetyProblems(job, matrix, closure),
    ...deviceProblems(job, closure),
    ...questions.flatMap((question) => sentBackProblems(job, question, wizard)),
    ...questions.flatMap((question) => missingAnswers(job, question, wizard)),
    ...unsentPhotos(job, matrix, questions, closure.code).map((found) => blocking(unsentPhotosText(found), questionUrl(job, found.question, wizard))),
    ...samePhotos(job, matrix, questions, closure.code).map((found) => blocking(samePhotoText(found), questionUrl(job, found.question, wizard))),
    ...questions.flatMap((question) => rangeProblems(job, question, wizard)),
    ...contradictionProblems(job, matrix, { closure, wizard, checked }),
  ];
}

/** @param {Job} job */
export const networkType = (job) => String(job.network?.type ?? "");

/** @param {string} message @param {string} [url] @returns {ScreenProblem} */
const blocking = (message, url = "") => ({ message, url, blocks: true });

// Mended on the closing page itself: `field` is the name of the field.
/** @param {Job} job @param {ClosureCode} closure @param {{ secondary: string, remarks: string }} typed @returns {ScreenProblem[]} */
export function validateForm(job, closure, { secondary, remarks }) {
  return [...secondaryProblems(closure, secondary), ...remarksProblems(closure, remarks), ...lineProblems(job, closure, remarks)];
}

/** @param {ClosureCode} closure @param {string} secondary */
function secondaryProblems(closure, secondary) {
  if (secondary || !closure.secondary_required) return [];
  const outcome = `${closure.in_trade_words} (${closure.code})`;
  return [{ ...blocking(fill(_("Choose a reason for “%(outcome)s”."), { outcome })), field: "secondary" }];
}

/** @param {ClosureCode} closure @param {string} remarks */
function remarksProblems({ remarks_required: isRequired }, remarks) {
  const tooLong = lengthProblem(remarks);
  if (tooLong) return [{ ...blocking(tooLong), field: "remarks" }];
  if (!isRequired || remarks.trim()) return [];
  return [{ ...blocking(_("“Other reason” needs remarks. Describe what happened.")), field: "remarks" }];
}

// A service that works on a line that does not needs a reason, which goes to the seller with the closure. Outside work
// is done before there is a line.
/** @param {Job} job @param {ClosureCode} closure @param {string} remarks @returns {ScreenProblem[]} */
export function lineProblems(job, { succeeds }, remarks) {
  if (!succeeds || !job.has_ont_scan || !job.line_check?.is_down || remarks.trim()) return [];
  const message = _("The line was down when it was last checked. Check it again, or say why the job is done.");
  return [{ ...blocking(message, jobUrl(job, "line")), field: "remarks" }];
}

/** @param {Job} job @param {Wizard} wizard */
function onSiteProblems(job, wizard) {
  if (job.state === "on_site") return [];
  return [blocking(_("Tap “I'm on site” first. This outcome can only be recorded on site."), jobUrl(job, "arrive", wizard))];
}

// Nobody has finished work that an unsafe answer has stopped.
/** @param {Job} job @param {Matrix} matrix @param {ClosureCode} closure */
function safetyProblems(job, matrix, closure) {
  const stopped = closure.succeeds && stoppingQuestion(job, matrix);
  if (!stopped) return [];
  const parameters = { question: stopped.text, answer: displayAnswer(stopped, job.answers[stopped.code]) };
  return [blocking(fill(_("%(question)s %(answer)s: stop work until this is safe."), parameters), questionUrl(job, stopped))];
}

/** @param {Job} job @param {ClosureCode} closure */
function deviceProblems(job, closure) {
  if (!closure.succeeds || !job.has_ont_scan || isProvisioned(job)) return [];
  if (job.scan) {
    const message = _("The seller has not reported the ONT as provisioned (result 1 or 2). Wait for the result, or scan again.");
    return [blocking(message, jobUrl(job, "provisioning"))];
  }
  // a revisit may leave the ONT alone; an installation cannot
  return job.type === "revisit" ? [] : [blocking(_("Scan or enter the ONT first."), jobUrl(job, "scan"))];
}

// What the office wants again.
/** @param {Job} job @param {Question} question @param {Wizard} wizard */
function sentBackProblems(job, question, wizard) {
  const item = sentBack(job, question);
  if (!item) return [];
  const parameters = { question: question.text, reason: item.reason.replace(/\.+$/, "") };
  return [blocking(fill(_("%(question)s was sent back: %(reason)s. Do it again."), parameters), questionUrl(job, question, wizard))];
}

/** @param {Job} job @param {Question} question */
const sentBack = (job, question) => job.sent_back?.find((item) => item.question === question.code);

/** @param {Job} job @param {Question} question @param {Wizard} wizard */
function missingAnswers(job, question, wizard) {
  if (question.code in job.answers || question.mandatory === false || sentBack(job, question)) return [];
  /** @type {Record<string, string | undefined>} */
  const ask = { photo: _("Take: %(text)s"), signature: _("Ask for: %(text)s") };
  return [blocking(fill(ask[question.kind] ?? _("Answer: %(text)s"), question), questionUrl(job, question, wizard))];
}

/** @param {Job} job @param {Question} question @param {Wizard} wizard @returns {ScreenProblem[]} */
function rangeProblems(job, question, wizard) {
  const message = rangeWarning(question, job.answers[question.code], networkType(job));
  return message ? [{ message, url: questionUrl(job, question, wizard), blocks: false }] : [];
}

// Questions with an answer after which nobody expects this code.
/** @param {Job} job @param {Matrix} matrix @param {ClosureCode} closure */
export function contradictingQuestions(job, matrix, closure) {
  return listQuestions(job, matrix, closure.code).filter(({ code, contradicting }) => contradicting?.includes(job.answers[code]));
}

// The name of the field that says that somebody has checked this answer.
/** @param {{ code: string }} question */
export const checkField = ({ code }) => `checked-${code}`;

// In the way until each is ticked as checked on the closing page, or changed. `checked`: codes of their questions.
/** @param {Job} job @param {Matrix} matrix @param {{ closure: ClosureCode, wizard: Wizard, checked: readonly string[] }} ending @returns {ScreenProblem[]} */
export function contradictionProblems(job, matrix, { closure, wizard, checked }) {
  return contradictingQuestions(job, matrix, closure).map((question) => {
    const isChecked = checked.includes(question.code);
    const message = fill(contradictionSentence(closure, isChecked), { question: question.text, answer: displayAnswer(question, job.answers[question.code]) });
    return { message, url: questionUrl(job, question, wizard), blocks: !isChecked, field: checkField(question) };
  });
}

/** @param {ClosureCode} closure @param {boolean} isChecked */
function contradictionSentence({ succeeds }, isChecked) {
  if (succeeds && isChecked) return _("%(question)s %(answer)s: this doesn't match a completed job. It was checked on site.");
  if (succeeds) return _("%(question)s %(answer)s: this doesn't match a completed job. Check the answer.");
  if (isChecked) return _("%(question)s %(answer)s: this doesn't match the outcome. It was checked on site.");
  return _("%(question)s %(answer)s: this doesn't match the outcome. Check the answer.");
}

// --- what the server refused a closing for ---

// The page of the step that it names, "" for none.
/** @param {Job} job @param {string} where @param {Wizard} [wizard] */
export function refusedStepUrl(job, where, wizard = DEFAULT_WIZARD) {
  const [step, code = ""] = where.split(":");
  if (step === "question") return questionUrl(job, { code }, wizard);
  return ["provisioning", "scan", "arrive"].includes(step) ? jobUrl(job, step) : "";
}

// Codes of problems that are judged here as on the server, each in tests/data/closing_vectors.json; any other holds until
// the closing is sent again, those of pictures until one of them is gone.
export const SHARED_RULES = new Set(["secondary_missing", "remarks_missing", "line_down", "not_on_site", "unsafe_answer", "not_provisioned", "not_scanned", "sent_back", "answer_missing", "photo_missing", "photo_not_stored", "contradicts_closure"]);
const PICTURE_RULES = new Set(["same_photo", "photo_of_another_answer"]);

// What still holds of it, after what was done or reported since.
/** @param {Job} job @param {Matrix} matrix @param {RefusedClosing} row */
export function remainingProblems(job, matrix, { entry: { body }, problems, pictures = [] }) {
  const { code, secondary_code: secondary, remarks, checked = [] } = body;
  const ending = { closure: findClosure(job, code), secondary, remarks, checked, wizard: DEFAULT_WIZARD };
  const found = validateClosure(job, matrix, ending).filter(({ blocks }) => blocks);
  /** @param {string} where */
  const holds = (where) => found.some(({ field, url }) => field === where || (url && url === refusedStepUrl(job, where)));
  const answered = new Set(Object.values(job.answers).flat());
  // only the server compares the files that it keeps
  const hasSamePictures = pictures.every((id) => answered.has(id));
  /** @param {string} rule */
  const isJudgedElsewhere = (rule) => (PICTURE_RULES.has(rule) ? hasSamePictures : !SHARED_RULES.has(rule));
  return problems.filter(({ code: rule, where = "" }) => isJudgedElsewhere(rule) || holds(where));
}

// --- which codes are offered ---

// Those for somebody at the premises, the most used of this job type first, then in the document's order.
/** @param {Job} job */
export function failureClosures(job) {
  const fitting = job.closures.filter(({ succeeds, without_visit }) => !succeeds && !without_visit);
  return fitting.sort((a, b) => (b.uses ?? 0) - (a.uses ?? 0));
}

// --- what was found so far speaks for a code (closures/data/codes.json, signs) ---

/** @type {Record<string, ((job: Job, questions: Question[]) => boolean) | undefined>} */
const SIGN_FACTS = {
  light_outside: (job, questions) => questions.some((question) => rangeWarning(question, job.answers[question.code], networkType(job))),
  ont_refused: (job) => Boolean(job.result) && !isProvisioned(job),
};

/** @param {ClosureSign} sign @param {Job} job @param {Question[]} questions */
function holds({ question, equals, fact }, job, questions) {
  if (fact) return Boolean(SIGN_FACTS[fact]?.(job, questions));
  return questions.some(({ code }) => code === question && job.answers[code] === equals);
}

/** @param {Job} job @param {Matrix} matrix @param {ClosureCode} closure */
export function isSuggested(job, matrix, { signs = [] }) {
  const questions = listQuestions(job, matrix);
  return signs.some((sign) => holds(sign, job, questions));
}

// Those whose code, trade terms or secondary codes contain every search term.
/** @param {ClosureCode[]} closures @param {string} query */
export function searchClosures(closures, query) {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return closures.filter((closure) => wanted.every((term) => textOf(closure).includes(term)));
}

/** @param {ClosureCode} closure */
function textOf({ code, description, in_trade_words: tradeTerms, secondaries = [] }) {
  const inner = secondaries.flatMap((secondary) => [secondary.code, secondary.description]);
  return [code, description, tradeTerms, ...inner].join(" ").toLowerCase();
}

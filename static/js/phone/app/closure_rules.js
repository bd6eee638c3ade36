// Validates a closure, with the same rules as closures/closure_validation.py, over a job of optimistic_state.js: all
// problems at once, each with the page that fixes it; and lists the closure codes to offer. A photo that is not
// uploaded yet is no problem: the closure waits for it in the queue.

import { isProvisioned, listQuestions, questionUrl, stoppingQuestion, jobUrl } from "./workflow.js";
import { displayAnswer, rangeWarning } from "./answer_validation.js";
import { _, fill } from "./i18n.js";

// [{message, url, blocks}] in the order in which a person would mend them.
export function validateClosure(job, matrix, { closure, secondary = "", remarks = "", wizard }) {
  const questions = listQuestions(job, matrix, closure.code);
  return [
    ...validateForm(closure, { secondary, remarks }),
    ...onSiteProblems(job, wizard),
    ...safetyProblems(job, matrix, closure),
    ...deviceProblems(job, closure),
    ...questions.flatMap((question) => missingAnswers(job, question, wizard)),
    ...questions.flatMap((question) => rangeProblems(job, question, wizard)),
    ...questions.flatMap((question) => contradictions(job, closure, question, wizard)),
  ];
}

export const networkType = (job) => String(job.network?.type ?? "");

const blocking = (message, url = "") => ({ message, url, blocks: true });

// Mended on the closing page itself: `field` is the name of the field.
export function validateForm(closure, { secondary, remarks }) {
  return [...secondaryProblems(closure, secondary), ...remarksProblems(closure, remarks)];
}

function secondaryProblems(closure, secondary) {
  if (secondary || !closure.secondary_required) return [];
  return [{ ...blocking(fill(_("%(code)s needs a secondary code. Choose one."), closure)), field: "secondary" }];
}

function remarksProblems({ remarks_required: isRequired }, remarks) {
  if (!isRequired || remarks.trim()) return [];
  return [{ ...blocking(_("“Other reason” needs remarks. Describe what happened.")), field: "remarks" }];
}

function onSiteProblems(job, wizard) {
  if (job.state === "on_site") return [];
  return [blocking(_("Tap “I'm on site” first. This outcome can only be recorded on site."), jobUrl(job, "arrive", wizard))];
}

// Nobody has finished work that an unsafe answer has stopped.
function safetyProblems(job, matrix, closure) {
  const stopped = closure.succeeds && stoppingQuestion(job, matrix);
  if (!stopped) return [];
  const words = { question: stopped.text, answer: displayAnswer(stopped, job.answers[stopped.code]) };
  return [blocking(fill(_("%(question)s %(answer)s: stop work until this is safe."), words), questionUrl(job, stopped))];
}

function deviceProblems(job, closure) {
  if (!closure.succeeds || !job.has_ont_scan || isProvisioned(job)) return [];
  if (job.scan) {
    const words = _("The seller has not reported the ONT as provisioned (result 1 or 2). Wait for the result, or scan again.");
    return [blocking(words, jobUrl(job, "provisioning"))];
  }
  // a revisit may leave the ONT alone; an installation cannot
  return job.type === "revisit" ? [] : [blocking(_("Scan or enter the ONT first."), jobUrl(job, "scan"))];
}

function missingAnswers(job, question, wizard) {
  if (question.code in job.answers || question.mandatory === false) return [];
  const ask = { photo: _("Take: %(text)s"), signature: _("Ask for: %(text)s") };
  return [blocking(fill(ask[question.kind] ?? _("Answer: %(text)s"), question), questionUrl(job, question, wizard))];
}

function rangeProblems(job, question, wizard) {
  const message = rangeWarning(question, job.answers[question.code], networkType(job));
  return message ? [{ message, url: questionUrl(job, question, wizard), blocks: false }] : [];
}

// An answer after which nobody expects the code of a finished job.
function contradictions(job, closure, question, wizard) {
  const answer = job.answers[question.code];
  if (!closure.succeeds || !question.unfinished?.includes(answer)) return [];
  const message = fill(_("%(question)s %(answer)s: this doesn't match a completed job. Check the answer."), { question: question.text, answer: displayAnswer(question, answer) });
  return [{ message, url: questionUrl(job, question, wizard), blocks: false }];
}

// --- which codes are offered ---

// Those for somebody at the premises, the most used of this job type first, then in the document's order.
export function failureClosures(job) {
  const fitting = job.closures.filter(({ succeeds, without_visit }) => !succeeds && !without_visit);
  return fitting.sort((a, b) => (b.uses ?? 0) - (a.uses ?? 0));
}

// --- what was found so far speaks for a code (closures/data/codes.json, signs) ---

const SIGN_FACTS = {
  light_outside: (job, questions) => questions.some((question) => rangeWarning(question, job.answers[question.code], networkType(job))),
  ont_refused: (job) => Boolean(job.result) && !isProvisioned(job),
};

function holds({ question, equals, fact }, job, questions) {
  if (fact) return Boolean(SIGN_FACTS[fact]?.(job, questions));
  return questions.some(({ code }) => code === question && job.answers[code] === equals);
}

export function isSuggested(job, matrix, { signs = [] }) {
  const questions = listQuestions(job, matrix);
  return signs.some((sign) => holds(sign, job, questions));
}

// Those whose code, words or second codes hold every one of these words.
export function searchClosures(closures, words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return closures.filter((closure) => wanted.every((word) => textOf(closure).includes(word)));
}

function textOf({ code, description, in_trade_words: words, secondaries = [] }) {
  const inner = secondaries.flatMap((one) => [one.code, one.description]);
  return [code, description, words, ...inner].join(" ").toLowerCase();
}

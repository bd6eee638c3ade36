// Whether the photos of a job prove its answers, as closures/photo_proofs.py has it: they are on the server or on their way
// from this phone, and one picture proves one answer. The phone compares the bytes that it sends,
// and those before an arrow was drawn on them; the server also the file that it keeps, in which two different files
// may turn out to be the same picture. Pure.

import { applicableQuestions } from "../flow.js";
import { _, fill } from "./i18n.js";

/** @type {Stage[]} */
const STAGES = ["safety", "work", "closing"];

// Those that are known, of the day or of the queue: a browser that hashes nothing leaves it to the server.
/** @param {Job} job @param {string} id */
function hashesOf(job, id) {
  const { sha256 = "", original_sha256 = "", row } = job.photos?.[id] ?? {};
  const announced = row?.entry.kind === "photo_taken" ? row.entry.body : null;
  return [announced?.sha256 || sha256, announced?.original_sha256 || original_sha256].filter(Boolean);
}

/** @param {Job} job @param {Question} question @returns {string[]} */
function answerPhotos(job, { code, kind }) {
  if (kind !== "photo" && kind !== "signature") return [];
  return /** @type {string[]} */ ([job.answers[code] ?? []].flat());
}

/** @param {Job} job @param {Question} question */
const answerHashes = (job, question) => answerPhotos(job, question).flatMap((id) => hashesOf(job, id));

// The questions of the ending first, then the others whose answers go to the seller.
/** @param {Job} job @param {Matrix} matrix @param {Question[]} asked @param {string} closureCode */
function sentQuestions(job, matrix, asked, closureCode) {
  const all = applicableQuestions(matrix, { jobType: job.type, answers: job.answers, stages: STAGES, closureCode });
  return [...asked, ...all.filter(({ code }) => !asked.some((question) => question.code === code))];
}

// {question, number}: a question with photos that are neither on the server nor in this phone's queue: whoever took them has
// another phone, or they are lost. The server refuses a closing for them.
/** @param {Job} job @param {Matrix} matrix @param {Question[]} asked @param {string} closureCode */
export function unsentPhotos(job, matrix, asked, closureCode) {
  /** @param {string} id */
  const isMissing = (id) => !job.photos?.[id]?.stored && !job.photos?.[id]?.row;
  const questions = sentQuestions(job, matrix, asked, closureCode);
  const found = questions.map((question) => ({ question, number: answerPhotos(job, question).filter(isMissing).length }));
  return found.filter(({ number }) => number > 0);
}

/** @param {{ question: Question, number: number }} found */
export const unsentPhotosText = ({ question, number }) =>
  fill(_("%(question)s: %(number)s not sent yet, still on another phone. Wait, or replace it."), { question: question.text, number });

// {question, other, isAsked}: a question whose answer has a picture of an other one before it.
/** @param {Job} job @param {Matrix} matrix @param {Question[]} asked @param {string} closureCode */
export function samePhotos(job, matrix, asked, closureCode) {
  /** @type {Map<string, Question>} */
  const first = new Map();
  return sentQuestions(job, matrix, asked, closureCode).flatMap((question) => {
    const hashes = answerHashes(job, question);
    const other = hashes.map((sha256) => first.get(sha256)).find(Boolean);
    for (const sha256 of hashes) if (!first.has(sha256)) first.set(sha256, question);
    return other ? [{ question, other, isAsked: asked.includes(question) }] : [];
  });
}

/** @param {{ question: Question, other: Question, isAsked: boolean }} found */
export function samePhotoText({ question, other, isAsked }) {
  return fill(samePhotoSentence(question, isAsked), { question: question.text, other: other.text });
}

// A new signature takes the place of the one before, a new photo stands beside it.
/** @param {Question} question @param {boolean} isAsked */
function samePhotoSentence({ kind }, isAsked) {
  if (kind === "signature" && isAsked) return _("%(question)s: this is the same photo as for “%(other)s”. Sign again.");
  if (kind === "signature") return _("%(question)s: this is the same photo as for “%(other)s”. Sign again, or delete it.");
  if (isAsked) return _("%(question)s: this is the same photo as for “%(other)s”. Delete it and take a new one.");
  return _("%(question)s: this is the same photo as for “%(other)s”. Delete it, or replace it with a new one.");
}

// The text about a picture that was just chosen for this question, "" for a new one. `closureCode`: of the outcome that
// it is taken for, "" while there is none.
/** @param {Job} job @param {Matrix} matrix @param {{ question: Question, closureCode?: string }} asked @param {string} sha256 */
export function photoUsedBefore(job, matrix, { question, closureCode = "" }, sha256) {
  const others = sentQuestions(job, matrix, [], closureCode).filter(({ code }) => code !== question.code);
  const other = sha256 && others.find((candidate) => answerHashes(job, candidate).includes(sha256));
  return other ? fill(chosenPhotoSentence(question), { question: question.text, other: other.text }) : "";
}

// It is in no answer yet.
/** @param {Question} question */
function chosenPhotoSentence({ kind }) {
  if (kind === "signature") return _("%(question)s: this is the same photo as for “%(other)s”. Sign again.");
  return _("%(question)s: this is the same photo as for “%(other)s”. Take a new one.");
}

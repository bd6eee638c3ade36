// Validates and displays answers: the same rules as closures/answer_validation.py, applied before anything is queued.
// tests/data/answer_vectors.json runs against both.

import { _, fill, formatNumber, plural } from "./i18n.js";

// as phone/serializers.py takes them, by tests/data/length_vectors.json: answers and remarks, the reason of a request for a
// handover, and the name of who signs
export const MAX_CHARACTERS = 2000;
export const MAX_REASON_CHARACTERS = 500;
export const MAX_SIGNER_CHARACTERS = 120;
const LARGEST = 1e12;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)$/;
// what a database keeps no letter of: NUL and half of a surrogate pair
const UNWRITABLE = /\0|[\ud800-\udfff]/u;

export const YES_NO = () => [
  { code: "yes", text: _("Yes") },
  { code: "no", text: _("No") },
];

/** @type {{ [Kind in Question["kind"]]: (question: Extract<Question, { kind: Kind }>, value: unknown) => ValidatedAnswer }} */
const BY_KIND = { yes_no: yesNo, choice, number, text, photo: photoIds, signature: photoIds };

// The value as it is kept, or the problem in a sentence.
/** @param {Question} question @param {unknown} value */
export function validateAnswer(question, value) {
  return /** @type {(question: Question, value: unknown) => ValidatedAnswer} */ (BY_KIND[question.kind])(question, value);
}

/** @param {Question} _question @param {unknown} value @returns {ValidatedAnswer} */
function yesNo(_question, value) {
  return value === "yes" || value === "no" ? { value } : { problem: _("Answer yes or no.") };
}

/** @param {ChoiceQuestion} question @param {unknown} value @returns {ValidatedAnswer} */
function choice(question, value) {
  if (question.choices.some(({ code }) => code === value)) return { value: /** @type {string} */ (value) };
  const choices = question.choices.map(({ text: label }) => label).join(", ");
  return { problem: fill(_("Choose one of: %(choices)s."), { choices }) };
}

/** @param {NumberQuestion} question @param {unknown} value @returns {ValidatedAnswer} */
function number(question, value) {
  const typed = parseNumber(value);
  if (typed === null) return { problem: fill(_("Enter a number in %(unit)s."), question) };
  if (hasTooManyDecimals(value, typed, question.decimals)) return { problem: decimalsMessage(question) };
  // + 0 turns -0 into 0
  if (question.minimum <= typed && typed <= question.maximum) return { value: typed + 0 };
  return { problem: fill(_("The number must be from %(window)s."), { window: allowedRange(question) }) };
}

// More decimal places than allowed, as written: `1,000` may be 1 or a thousand, so it is not taken for 1.
/** @param {unknown} value @param {number} number @param {number} decimals */
function hasTooManyDecimals(value, number, decimals) {
  if (typeof value !== "string") return Number(number.toFixed(decimals)) !== number;
  const [, fraction = ""] = value.trim().replace(/,/g, ".").split(".");
  return fraction.length > decimals;
}

// Nothing is rounded: what is typed is what is sent.
/** @param {NumberQuestion} question */
function decimalsMessage({ decimals, unit }) {
  if (decimals === 0) return fill(_("Enter a whole number in %(unit)s, without a decimal point."), { unit });
  return plural("Enter at most %(number)s decimal place.", "Enter at most %(number)s decimal places.", decimals);
}

// `−21,5` is typed by somebody with a true minus sign and a comma; null when it is no number.
/** @param {unknown} value */
export function parseNumber(value) {
  const plain = String(value).trim().replace(/[−–]/g, "-").replace(/,/g, ".");
  if (!NUMBER.test(plain) || Math.abs(Number(plain)) >= LARGEST) return null;
  return Number(plain);
}

/** @param {Question} _question @param {unknown} value @returns {ValidatedAnswer} */
function text(_question, value) {
  return validateText(value);
}

// Something typed as it is sent, or the problem in a sentence.
/** @param {unknown} value @param {number} [most] @returns {{ value: string, problem?: undefined } | { problem: string, value?: undefined }} */
export function validateText(value, most = MAX_CHARACTERS) {
  const trimmed = typeof value === "string" ? value.trim() : "";
  if (!trimmed || UNWRITABLE.test(trimmed)) return { problem: _("Enter a few words.") };
  const problem = lengthProblem(trimmed, most);
  return problem ? { problem } : { value: trimmed };
}

// What is too long is refused with its length: a field that cuts what is pasted loses its end unseen. "" for what fits.
/** @param {string} typed @param {number} [most] */
export function lengthProblem(typed, most = MAX_CHARACTERS) {
  const characters = [...typed.trim()].length;
  if (characters <= most) return "";
  return fill(_("Enter at most %(most)s characters. This has %(letters)s."), { most, letters: characters });
}

/** @param {Question} question @param {unknown} value @returns {ValidatedAnswer} */
function photoIds({ kind }, value) {
  const ids = /** @type {string[]} */ ([value].flat().filter((id) => typeof id === "string" && id));
  return ids.length ? { value: [...new Set(ids)] } : { problem: kind === "signature" ? _("Ask for a signature.") : _("Take a photo.") };
}

// What may be typed: `−40 to 10 dBm`.
/** @param {{ minimum?: number, maximum?: number, unit?: string }} question */
export function allowedRange({ minimum = 0, maximum = 0, unit }) {
  return formatRange([minimum, maximum], unit);
}

// What is usual on this network: `−27 to −8 dBm`, or "" where the matrix has none.
/** @param {Question} question @param {string} networkType */
export function expectedRange(question, networkType) {
  const bounds = expectedBounds(question, networkType);
  return bounds ? formatRange(bounds, question.unit) : "";
}

/** @param {Question} question @param {string} networkType */
function expectedBounds({ expected = {} }, networkType) {
  return expected[networkType] ?? Object.values(expected)[0] ?? null;
}

/** @param {[low: number, high: number]} bounds @param {string} [unit] */
function formatRange([low, high], unit) {
  return fill(_("%(low)s to %(high)s %(unit)s"), { low: formatNumber(low), high: formatNumber(high), unit });
}

// The text in which an answer is shown and sent to the seller.
/** @param {Question} question @param {AnswerValue} value */
export function displayAnswer(question, value) {
  if (question.kind === "yes_no") return YES_NO().find(({ code }) => code === value)?.text ?? String(value);
  if (question.kind === "choice") return question.choices.find(({ code }) => code === value)?.text ?? String(value);
  if (question.kind === "number") return `${formatNumber(Number(value), question.decimals)} ${question.unit}`;
  if (question.kind === "signature") return _("Signed");
  if (question.kind === "photo") return plural("%(number)s photo", "%(number)s photos", /** @type {string[]} */ (value).length);
  return String(value);
}

// A number outside the window of its network type: a warning, never a refusal. "" when there is nothing to warn of.
/** @param {Question} question @param {AnswerValue | undefined} value @param {string} networkType */
export function rangeWarning(question, value, networkType) {
  const bounds = expectedBounds(question, networkType);
  if (!bounds || typeof value !== "number" || (bounds[0] <= value && value <= bounds[1])) return "";
  const parameters = { question: question.text, answer: displayAnswer(question, value), window: formatRange(bounds, question.unit) };
  return fill(_("%(question)s %(answer)s is outside the expected range (%(window)s). Check it."), parameters);
}

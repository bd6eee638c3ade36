// What a job's page reports of the server's changes and of what it refused, as texts. Pure.

import { rejectionText } from "./camera/photo_rejections.js";
import { remainingProblems } from "./closure_rules.js";
import { _, fill } from "./i18n.js";
import { closeUrl } from "./workflow.js";

const QUEUE_URL = "/phone/queue/";

// What changed without this phone, once: the day reports it, and so does the answer to each entry that came too late.
/** @param {Pick<Job, "notices" | "late">} job */
export function changeTexts({ notices = [], late }) {
  const isReported = (/** @type {Problem} */ { code, message }) => notices.some(({ rule, words: text }) => rule === code || text === message);
  const more = (late?.problems ?? []).filter((problem) => !isReported(problem));
  return [...notices.map(({ words: text }) => text), ...new Set(more.map(({ message }) => message))];
}

// {question, text, url, label}: "" for what is of no question, and where a tap leads.
/** @param {QueueRow} row @param {Job} job @param {Matrix | undefined} matrix */
export function describeRefusal(row, job, matrix) {
  const { entry } = row;
  if (matrix && entry.kind === "close" && row.problems.length && !remainingProblems(job, matrix, { ...row, entry }).length) {
    const text = _("The job was not closed. What was missing is there now. Close it again.");
    return { question: "", text, url: closeUrl(job, entry.body.code, entry.body.secondary_code), label: _("Close job") };
  }
  const question = matrix?.questions.find(({ code }) => code === entry.body.question)?.text ?? "";
  return { question, text: rejectionText(row), url: QUEUE_URL, label: _("What to do") };
}

// Of a job that is still on site while the engineer begins this one: at another address, or here.
/** @param {Job} job @param {Job} other */
export function otherJobTitle(job, other) {
  return other.address === job.address ? _("Another job at this address is still open.") : fill(_("Still at %(address)s?"), other.page);
}

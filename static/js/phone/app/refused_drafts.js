// Turns an entry that the server refused back into a draft, so that it can be corrected instead of typed again.

import { getDraft, saveDraft } from "./drafts.js";
import { jobUrl } from "./workflow.js";

const TYPED_KINDS = new Set(["string", "number"]);

// Of an entry, or null where nothing was typed by hand.
/** @param {QueueEntry} entry @param {Question | undefined} question @returns {Draft | null} */
export function draftFromEntry({ kind, body }, question) {
  if (kind === "handover_requested") return { reason: body.reason };
  if (kind === "ont_scanned") return { fsan: body.fsan, serial_number: body.serial_number };
  const isTyped = kind === "answered" && ["number", "text"].includes(question?.kind ?? "") && TYPED_KINDS.has(typeof body.value);
  return isTyped ? { value: String(body.value) } : null;
}

// Before the row is let go; what was typed since then stays.
/** @param {QueueRow} row @param {Day} day */
export async function restoreDraft({ entry }, day) {
  const job = day.jobs.find(({ id }) => id === entry.job);
  const question = day.matrices[job?.matrix ?? ""]?.questions.find(({ code }) => code === entry.body?.question);
  const draft = job && draftFromEntry(entry, question);
  if (!draft) return;
  /** @type {Partial<Record<EntryKind, string>>} */
  const pages = { handover_requested: "hand-over", ont_scanned: "scan", answered: `question/${entry.body.question}` };
  const address = jobUrl(job, pages[entry.kind]);
  if (!(await getDraft(address))) await saveDraft(address, draft);
}

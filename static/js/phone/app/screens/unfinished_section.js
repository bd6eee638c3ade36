// Lists what was begun for jobs that have ended or are no longer the engineer's.

import { h, icon } from "../dom.js";
import { onTap } from "../actions.js";
import { photoPreview } from "../camera/photo_preview.js";
import { typedTexts } from "../drafts.js";
import { describePremises } from "../entry_descriptions.js";
import { _, fill } from "../i18n.js";
import { callOfficeLink } from "../office_phone.js";
import { render } from "../router.js";
import { deleteWork, mayComeBack, pageOf, sendWork, tapFor } from "../unfinished_work.js";
import { section } from "./components.js";

/** @param {BegunWork[]} work @param {Day} day */
export function unfinishedSection(work, day) {
  if (!work.length) return "";
  const hint = h("p", {}, _("You began this for jobs that have ended or are no longer yours. Only this phone has it."));
  return section("unfinished-title", _("Unfinished work"), hint, work.map((each) => card(each, day)));
}

// {title, text, premises}: what it is, what was typed, and of which job.
/** @param {BegunWork} work @param {Day} day */
export function describeWork(work, day) {
  const { job, page, code } = pageOf(work);
  const question = questionText(code, day);
  /** @type {Record<string, string>} */
  const titles = {
    question: question || fill(_("Answer to question %(question)s"), { question: code }),
    "hand-over": _("Request a handover"),
    scan: _("ONT scan"),
  };
  const title = work.photo ? fill(_("Photo: %(question)s"), { question: question || code }) : (titles[page] ?? _("Remarks for the seller"));
  return { title, text: typedTexts(work.draft).join(", "), premises: describePremises(job, day) };
}

// "" where no job on this phone has it.
/** @param {string} code @param {Pick<Day, "matrices">} day */
function questionText(code, { matrices }) {
  const questions = Object.values(matrices).flatMap((matrix) => matrix.questions);
  return questions.find((question) => question.code === code)?.text ?? "";
}

/** @param {BegunWork} work @param {Day} day */
function card(work, day) {
  const { title, text, premises } = describeWork(work, day);
  const tap = mayComeBack(work, day) ? null : tapFor(work);
  const send = tap && h("button.phone-button", { type: "button", onclick: onTap(() => sendWork(work, tap)) }, icon("send"), " ", _("Send to the office"));
  const discard = onTap(async () => {
    await deleteWork(work);
    await render();
  });
  return h(
    "div.phone-missing.phone-more-actions",
    { "data-unfinished": work.key },
    h("h3", {}, icon("warning"), " ", title),
    h("p.muted", {}, premises),
    text && h("p", {}, text),
    work.photo && h("div", { "data-component": work.key }, photoPreview(work.photo, title)),
    send || callOfficeLink(),
    h("button.phone-button", { type: "button", onclick: discard }, icon("x"), " ", _("Delete")),
  );
}

// Lists what was begun for jobs whose pages can't be opened now.

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

// the key of what is asked about before it is deleted
let deletionKey = "";

/** @param {UnfinishedCard[]} work @param {Day} day */
export function unfinishedSection(work, day) {
  if (!work.length) return "";
  const hint = h("p", {}, _("You began this for jobs that you can't work on now. Only this phone has it."));
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
  const title = work.isPhoto ? fill(_("Photo: %(question)s"), { question: question || code }) : (titles[page] ?? _("Remarks for the seller"));
  return { title, text: typedTexts(work.draft).join(", "), premises: describePremises(job, day) };
}

// "" where no job on this phone has it.
/** @param {string} code @param {Pick<Day, "matrices">} day */
function questionText(code, { matrices }) {
  const questions = Object.values(matrices).flatMap((matrix) => matrix.questions);
  return questions.find((question) => question.code === code)?.text ?? "";
}

/** @param {UnfinishedCard} work @param {Day} day */
function card(work, day) {
  const { title, text, premises } = describeWork(work, day);
  return h(
    "div.phone-missing.phone-more-actions",
    { "data-unfinished": work.key },
    h("h3", {}, icon("warning"), " ", title),
    h("p.muted", {}, premises),
    text && h("p", {}, text),
    work.photo && h("div", { "data-component": work.key }, photoPreview(work.photo, title)),
    work.key === deletionKey ? deletion(work) : actions(work, day),
  );
}

/** @param {UnfinishedCard} work @param {Day} day */
function actions(work, day) {
  const comesBack = mayComeBack(work, day);
  const tap = comesBack ? null : tapFor(work);
  return [
    comesBack && h("p", {}, _("You can finish it once the job is back on your list.")),
    tap ? button("send", _("Send to the office"), () => sendWork(work, tap)) : callOfficeLink(),
    button("x", _("Delete"), () => ask(work.key)),
  ];
}

/** @param {UnfinishedCard} work */
function deletion(work) {
  const discard = async () => {
    await deleteWork(work);
    await ask("");
  };
  // Cancel takes the place, and the focus, of what was tapped
  return [h("p", { role: "alert" }, _("Delete it? Nobody else has it.")), button("x", _("Delete for good"), discard), button("undo", _("Cancel"), () => ask(""))];
}

/** @param {string} key */
function ask(key) {
  deletionKey = key;
  return render();
}

/** @param {string} sign @param {string} label @param {() => Promise<void>} work */
const button = (sign, label, work) => h("button.phone-button", { type: "button", onclick: onTap(work) }, icon(sign), " ", label);

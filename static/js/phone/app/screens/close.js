// The last page: what the seller will be told, then one tap.

import { draftAt, dropDraft, keepDraft } from "../drafts.js";
import { h, icon } from "../dom.js";
import { problemsOf } from "../ending.js";
import { go, show } from "../router.js";
import { closureOf, NOWHERE_ELSE, questionsOf, urlOf } from "../steps.js";
import { once, refuse, replaceRefused, slipAt, tap } from "../taps.js";
import { _, fill, plural } from "../words.js";
import { drafting, field, form } from "./fields.js";
import { firstToMend, frame, problemAt, problemList } from "./frame.js";
import * as parts from "./parts.js";

export async function closeScreen(context) {
  const { job, matrix, search, path } = context;
  const closure = closureOf(job, search.get("code") ?? "");
  const place = `${path}?code=${closure.code}`;
  const draft = await draftAt(place);
  const secondary = draft?.secondary ?? search.get("secondary") ?? "";
  const trail = closure.succeeds ? NOWHERE_ELSE : { ...NOWHERE_ELSE, closing: closure.code, secondary };
  const found = problemsOf(job, matrix, { closure, secondary, trail }).filter((one) => !one.field);
  const isClear = !found.some(({ blocks }) => blocks);
  const ending = { closure, secondary, place, remarks: draft?.remarks ?? "", problems: [...refusals(job), ...slipAt(path)] };
  const before = closure.succeeds ? urlOf(job, "review") : urlOf(job, "cant-complete");
  return frame({ ...context, trail }, {
    name: "close",
    title: _("Close job"),
    back: before,
    problems: refusals(job),
    body: [
      h("h1", { id: "question" }, _("Close job")),
      h("p.phone-hint", {}, _("This is what the seller is told. It cannot be changed afterwards.")),
      told(job, matrix, closure),
      h("p", {}, h("a.phone-change", { href: before }, _("Change how it ended"))),
      problemList(found, isClear),
      form(once(() => close(context, ending)), secondaries(ending), remarks(ending)),
    ],
    ways: "",
    bar: bar(found, isClear),
  });
}

function bar(found, isClear) {
  if (isClear) return parts.mainButton(_("Close job"));
  return firstToMend(found) && parts.mainLink(firstToMend(found), _("To what is missing"));
}

function refusals({ refused }) {
  return refused.filter(({ entry }) => entry.kind === "close").flatMap(({ problems }) => problems.map(({ message }) => ({ message })));
}

function told(job, matrix, closure) {
  const questions = questionsOf(job, matrix, closure.code).filter(({ code }) => code in job.answers);
  const photos = questions.filter(({ code }) => Array.isArray(job.answers[code])).flatMap(({ code }) => job.answers[code]);
  const here = photos.filter((id) => job.photos?.[id]?.row?.state === "here").length;
  const later = here > 0 && ` · ${plural("%(number)s only on this phone: it goes first", "%(number)s only on this phone: they go first", here)}`;
  const line = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
  return h(
    "dl.phone-facts",
    {},
    line(_("Ended as"), h("b", {}, closure.in_trade_words)),
    line(_("Code"), h("span.code", {}, closure.code), ` ${closure.description}`),
    line(_("Answers"), String(questions.length)),
    line(_("Photos"), String(photos.length), later),
  );
}

function secondaries({ closure, secondary, place, problems }) {
  if (!closure.secondaries.length) return "";
  const choice = ({ code, description }) => {
    const onchange = () => keepDraft(place, { secondary: code }).then(show);
    const input = h("input", { type: "radio", id: code, name: "secondary_code", value: code, onchange });
    input.checked = code === secondary;
    return h("label.phone-check", {}, input, ` ${description}`);
  };
  const problem = problemAt(problems, "secondary");
  return h(
    "fieldset.phone-secondaries",
    {},
    h("legend", {}, _("What it was")),
    problem && h("p.field-problem", {}, icon("warning"), " ", problem),
    closure.secondaries.map(choice),
  );
}

function remarks({ remarks: value, place }) {
  const attributes = { id: "remarks", name: "remarks", rows: 3, maxlength: 2000, value, oninput: drafting(place, "remarks") };
  return h("div.field", {}, h("label", { for: "remarks" }, _("Remarks for the seller")), field("textarea", attributes));
}

async function close({ job }, { closure, place }) {
  const chosen = document.querySelector("input[name=secondary_code]:checked")?.value ?? "";
  const missing = closure.secondary_required && !chosen;
  if (missing) {
    const message = fill(_("%(code)s needs a second code: choose what it was."), closure);
    return refuse([{ message, field: "secondary", url: `#${closure.secondaries[0].code}` }]);
  }
  const body = { code: closure.code, secondary_code: chosen, remarks: document.querySelector("#remarks").value.trim() };
  await tap(job, [{ kind: "close", body }]);
  dropDraft(place);
  await replaceRefused(job, ({ kind }) => kind === "close");
  return go(urlOf(job));
}

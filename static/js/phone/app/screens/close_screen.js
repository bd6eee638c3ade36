// The last page: what the seller will be told, then one tap.

import { draftAt, keepDraft } from "../drafts.js";
import { h, icon } from "../dom.js";
import { formProblems, problemsOf } from "../closure_rules.js";
import { go, show } from "../router.js";
import { closeUrl, closureOf, NOWHERE_ELSE, questionsOf, questionUrl, urlOf } from "../workflow.js";
import { forgetSlip, once, refuse, slipAt, tap } from "../actions.js";
import { _, plural } from "../i18n.js";
import { drafting, field, form } from "./answer_fields.js";
import { firstToMend, frame, problemAt, problemList } from "./step_layout.js";
import * as parts from "./components.js";

export async function closeScreen(context) {
  const { job, matrix, search, path } = context;
  const closure = closureOf(job, search.get("code") ?? "");
  const place = `${path}?code=${closure.code}`;
  const draft = await draftAt(place);
  // the address alone says it: a draft would overrule what is chosen anew in "Can't complete"
  const secondary = search.get("secondary") ?? "";
  const trail = closure.succeeds ? NOWHERE_ELSE : { ...NOWHERE_ELSE, closing: closure.code, secondary };
  const found = problemsOf(job, matrix, { closure, secondary, trail }).filter((one) => !one.field);
  const isClear = !found.some(({ blocks }) => blocks);
  const ending = { job, closure, secondary, place, remarks: draft?.remarks ?? "", problems: [...refusals(job), ...slipAt(path)] };
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

// Each leads to what the server found missing.
function refusals(job) {
  const rows = job.refused.filter(({ entry }) => entry.kind === "close");
  return rows.flatMap(({ problems }) => problems.map(({ message, where = "" }) => ({ message, url: placeOf(job, where) })));
}

function placeOf(job, where) {
  const [step, code = ""] = where.split(":");
  if (step === "question") return questionUrl(job, { code }, NOWHERE_ELSE);
  return ["provisioning", "scan", "arrive"].includes(step) ? urlOf(job, step) : "";
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

function secondaries({ job, closure, secondary, problems }) {
  if (!closure.secondaries.length) return "";
  const choice = ({ code, description }) => {
    const onchange = () => {
      forgetSlip("secondary");
      history.replaceState(null, "", closeUrl(job, closure.code, code));
      return show();
    };
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

function remarks({ remarks: value, place, problems }) {
  const attributes = { id: "remarks", name: "remarks", rows: 3, maxlength: 2000, value, oninput: drafting(place, "remarks") };
  const problem = problemAt(problems, "remarks");
  return h(
    "div.field",
    {},
    h("label", { for: "remarks" }, _("Remarks for the seller")),
    problem && h("p.field-problem", {}, icon("warning"), " ", problem),
    field("textarea", attributes),
  );
}

async function close({ job }, { closure, place }) {
  const chosen = document.querySelector("input[name=secondary_code]:checked")?.value ?? "";
  const body = { code: closure.code, secondary_code: chosen, remarks: document.querySelector("#remarks").value.trim() };
  const missing = formProblems(closure, { secondary: chosen, remarks: body.remarks });
  const fields = { secondary: `#${closure.secondaries[0]?.code}`, remarks: "#remarks" };
  if (missing.length) return refuse(missing.map(({ message, field: name }) => ({ message, field: name, url: fields[name] })));
  // the draft stays until the job leaves this phone: a closing may be refused hours later
  await keepDraft(place, { remarks: body.remarks });
  await tap(job, [{ kind: "close", body }]);
  return go(urlOf(job));
}

// Somebody else shall go on with a half-done job: the office is asked, and until it has decided the job stays here.

import { h, icon } from "../dom.js";
import { isUnderWay } from "../day_plan.js";
import { draftAt, dropDraft } from "../drafts.js";
import { go } from "../router.js";
import { urlOf } from "../workflow.js";
import { once, refuse, slipAt, tap } from "../actions.js";
import { _ } from "../i18n.js";
import { drafting, field, form } from "./answer_fields.js";
import { fieldProblem, frame, problemAt } from "./step_layout.js";
import * as parts from "./components.js";

const MOST_LETTERS = 500;

export async function handOverScreen(context) {
  const { job, path } = context;
  const draft = await draftAt(path);
  const problem = draft?.reason ? "" : problemAt(slipAt(path), "reason");
  const attributes = { id: "reason", name: "reason", rows: 4, maxlength: MOST_LETTERS, value: draft?.reason ?? "", oninput: drafting(path, "reason") };
  return frame(context, {
    name: "hand-over",
    title: _("Hand over"),
    body: [
      h("h1", { id: "question" }, _("Ask to hand the job over")),
      h("p", {}, _("The office gives it to a colleague. Answers, scans and photos so far go along. Until then the job stays with you.")),
      form(
        once(() => askFor(job, path)),
        h(`div.field${problem ? ".field-wrong" : ""}`, {}, h("label", { for: "reason" }, _("Why, and what is left to do")), fieldProblem("reason", problem), field("textarea", attributes, problem)),
      ),
    ],
    ways: "",
    bar: parts.mainButton(_("Ask the office")),
  });
}

async function askFor(job, path) {
  const reason = document.querySelector("#reason").value.trim();
  if (!reason) return refuse([{ message: _("Write a few words."), url: "#reason", field: "reason" }]);
  await tap(job, [{ kind: "hand_over_asked", body: { reason } }]);
  dropDraft(path);
  return go(urlOf(job));
}

// On the job's page: that it was asked for, or the way to ask.
export function handOverPart(job) {
  if (!isUnderWay(job)) return "";
  if (job.hand_over_asked) return h("p.notice.notice-calm", { "data-asked": true }, icon("users"), " ", h("span", {}, _("You asked the office to hand this job over. It stays with you until they do.")));
  return h("a.phone-button", { href: urlOf(job, "hand-over") }, icon("users"), " ", _("Ask to hand it over"));
}

// Requests a handover: the office is asked to reassign a job in progress; until then it stays with the engineer.

import { h, icon, inputAt } from "../dom.js";
import { isInProgress } from "../day_plan.js";
import { MAX_REASON_CHARACTERS, validateText } from "../answer_validation.js";
import { getDraft, deleteDraft } from "../drafts.js";
import { navigateFrom } from "../router.js";
import { jobUrl } from "../workflow.js";
import { onTap, showProblems, problemsAt, recordActions } from "../actions.js";
import { _ } from "../i18n.js";
import { draftInput, inputElement, stepForm } from "./answer_fields.js";
import { fieldProblem, stepLayout, problemAt } from "./step_layout.js";
import * as parts from "./components.js";

/** @param {JobContext} context */
export async function handOverScreen(context) {
  const { job, path } = context;
  const draft = await getDraft(path);
  const problem = problemAt(problemsAt(path), "reason");
  const attributes = { id: "reason", name: "reason", rows: 4, value: draft?.reason ?? "", oninput: draftInput(path, "reason") };
  return stepLayout(context, {
    name: "hand-over",
    title: _("Hand over"),
    body: [
      h("h1", { id: "question" }, _("Request a handover")),
      h("p", {}, _("The office reassigns the job to a colleague, with your answers, scans and photos. Until then it stays with you.")),
      stepForm(
        onTap(() => requestHandover(job, path)),
        h(`div.field${problem ? ".field-wrong" : ""}`, {}, h("label", { for: "reason" }, _("Reason, and what is left to do")), fieldProblem("reason", problem), inputElement("textarea", attributes, problem)),
      ),
    ],
    ways: "",
    bar: parts.mainButton(_("Send request")),
  });
}

/** @param {Job} job @param {string} path */
async function requestHandover(job, path) {
  const { value: reason, problem } = validateText(inputAt("#reason").value, MAX_REASON_CHARACTERS);
  if (reason === undefined) return showProblems([{ message: problem, url: "#reason", field: "reason" }]);
  await recordActions(job, [{ kind: "handover_requested", body: { reason } }]);
  deleteDraft(path);
  return navigateFrom(path, jobUrl(job));
}

// On the job's page: that it was asked for, or the way to ask.
/** @param {Job} job */
export function handOverSection(job) {
  if (!isInProgress(job)) return "";
  if (job.handover_requested) return h("p.notice.notice-calm", { "data-handover-requested": true }, icon("users"), " ", h("span", {}, _("Handover requested. The job stays with you until the office reassigns it.")));
  return h("a.phone-button", { href: jobUrl(job, "hand-over") }, icon("users"), " ", _("Request handover"));
}

// The link to the next job at the end of one.

import { planDay } from "../day_plan.js";
import { firstMissing, stoppingQuestion, jobUrl } from "../workflow.js";
import { _, fill } from "../i18n.js";
import { mainLink } from "./components.js";

// Whether nothing can be done here until the scan was sent: all but the closing is answered, and nothing stops the work.
/** @param {Job} job @param {Matrix} matrix */
export function waitsForSignal(job, matrix) {
  if (job.state !== "on_site" || !job.scan?.is_pending || stoppingQuestion(job, matrix)) return false;
  return !firstMissing(job, matrix, "safety") && !firstMissing(job, matrix, "work");
}

export const canLeaveText = () => _("You can leave. The scan will be sent when there is signal; close the job after that.");

// "Next: 10:00, 24 Hunter's Cross", or the list where nothing is left.
/** @param {Day} day @param {Job} job */
export function nextJobLink(day, job) {
  const next = planDay(day).open.find(({ id }) => id !== job.id);
  if (!next) return mainLink("/phone/", _("My day"));
  return mainLink(jobUrl(next), fill(_("Next: %(starts)s, %(street)s"), next.page));
}

// Where an engineer goes after this job: the large button at the end of one.

import { planOf } from "../day_plan.js";
import { firstMissing, stoppedBy, urlOf } from "../workflow.js";
import { _, fill } from "../i18n.js";
import { mainLink } from "./components.js";

// Whether nothing can be done here until the scan was sent: all but the closing is answered, and nothing stops the work.
export function waitsForSignal(job, matrix) {
  if (job.state !== "on_site" || !job.scan?.is_here || stoppedBy(job, matrix)) return false;
  return !firstMissing(job, matrix, "safety") && !firstMissing(job, matrix, "work");
}

export const leaveWords = () => _("You can leave. The scan is sent when there is signal; close the job after that.");

// "Next: 10:00, 24 Hunter's Cross", or the list where nothing is left.
export function nextJobLink(day, job) {
  const next = planOf(day).open.find(({ id }) => id !== job.id);
  if (!next) return mainLink("/phone/", _("My day"));
  return mainLink(urlOf(next), fill(_("Next: %(starts)s, %(street)s"), next.page));
}

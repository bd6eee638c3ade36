// The one way to move a job on the board: the same address that the forms use.

import { OUTDATED, post } from "./post_form.js";
import { boardElement, element, elementById, sheet } from "./timeline.js";

// `version` is the plan that the dispatcher sees: another one's change in between is refused, not overwritten
// with a reason it stands although a rule that may be overridden is broken; without a second engineer among the options
// whoever accompanies still does
// `draft` is what was typed for another start: it overrides nothing here, and is offered again if this is refused too
/** @param {MovableJob} job @param {string} engineer @param {string} startsAt @param {{ reason?: string, second?: string, draft?: string }} [options] */
export function assign({ job, version }, engineer, startsAt, { reason = "", second, draft = reason } = {}) {
  const team = second === undefined ? {} : { second_engineer: second };
  return send(job, "assign", { version, engineer, starts_at: startsAt, override_reason: reason, ...team }, draft);
}

/** @param {MovableJob} job */
export function unassign({ job, version }) {
  return send(job, "unassign", { version });
}

// pins the visit, or unpins it
/** @param {MovableJob & { pinned?: string }} job */
export function pin({ job, version, pinned }) {
  return send(job, "pin", { version, is_pinned: pinned ? "" : "1" });
}

/** @param {string} jobId @param {"assign" | "unassign" | "pin"} action @param {Record<string, string>} fields @param {string} [draft] */
async function send(jobId, action, fields, draft) {
  tell(jobId, await post(addressOf(jobId, `${action}/`), new URLSearchParams(fields)), fields, draft);
}

// a form of the board, sent without loading the page; whether it did what it says
/** @param {HTMLFormElement} form */
export async function sendForm(form) {
  const answer = await post(form.action, new URLSearchParams(/** @type {any} */ (new FormData(form))));
  // what is offered instead is for the job that could not be changed
  tell(answer.ok ? "" : (answer.job ?? ""), answer, {});
  return answer.ok;
}

// why a form of no single job was refused
/** @param {MoveAnswer} answer */
export function tellRefusal(answer) {
  tell("", answer, {});
}

/** @param {JobCard} card who may change nothing has no text of it */
export const isPinned = (card) => card.dataset.pinned === "1" && Boolean(sheet().dataset.pinned);

// nothing is sent; the focus stays on the card, for the key that unpins it
/** @param {JobCard} card */
export function tellPinned({ dataset: { job, title } }) {
  const message = (sheet().dataset.pinned ?? "").replace("{job}", title);
  const problems = [{ message, other_job: job, other_title: title }];
  notify(job, sheet().dataset.refused, { ok: false, problems, suggestions: [], version: "" }, {});
  focusCard(job);
}

// several cards at once: what was refused is listed, the rest is done and can be undone together; with a start they
// follow one another from then on
/** @param {JobCard[]} cards @param {"reassign" | "unassign"} action @param {string} [engineer] @param {string} [startsAt] */
export async function changeJobs(cards, action, engineer = "", startsAt = "") {
  const body = new URLSearchParams({ action, engineer, starts_at: startsAt });
  for (const { dataset } of cards) body.append("job", `${dataset.job}|${dataset.version}`);
  const answer = /** @type {BulkAnswer} */ (await post(new URL("bulk/", new URL(boardElement().dataset.versionUrl, location.href)), body));
  if (!answer.ok) return tell("", answer, {});
  const refused = answer.rows.filter((row) => !row.ok);
  if (!refused.length) return;
  const done = answer.rows.length - refused.length;
  const title = sheet().dataset.done.replace("{done}", String(done)).replace("{all}", String(answer.rows.length));
  const problems = refused.map(({ job, title, text }) => ({ message: text, job, title }));
  notify("", title, { ok: false, problems, suggestions: [], version: "" }, {});
}

/** @param {string} jobId @param {string} rest */
function addressOf(jobId, rest) {
  return new URL(`jobs/${encodeURIComponent(jobId)}/${rest}`, new URL(boardElement().dataset.versionUrl, location.href));
}

// an error says why and suggests the next step as buttons
/** @param {string} jobId @param {MoveAnswer} answer @param {Record<string, string>} fields @param {string} [draft] */
function tell(jobId, answer, fields, draft) {
  elementById("action-response").hidden = answer.ok;
  elementById("action-response").replaceChildren();
  if (!answer.ok) notify(jobId, sheet().dataset.refused, answer, fields, draft);
}

/** @param {string} jobId @param {string} title @param {RefusedMove} answer @param {Record<string, string>} fields @param {string} [draft] */
function notify(jobId, title, answer, fields, draft = "") {
  const box = elementById("action-response");
  const notice = element("div", "notice notice-alarm");
  const inside = element("div", "");
  const reasons = element("ul", "");
  reasons.append(...answer.problems.map(reason));
  inside.append(naming(element("b", ""), jobId, titleOf(jobId), title), reasons, ...suggestions(jobId, answer), buttons(jobId, answer));
  if (fields.engineer && answer.problems.every((problem) => problem.can_override)) inside.append(overrideForm(jobId, answer, fields, draft));
  notice.append(inside);
  box.replaceChildren(notice);
  box.hidden = false;
  box.onkeydown = (event) => event.key === "Escape" && dismiss(jobId);
  inside.querySelector("button")?.focus();
}

// whose refusal it is, where several were changed, and the job that is in the way
/** @param {RefusedMove["problems"][number]} problem */
function reason({ job = "", title = "", message, other_job: other = "", other_title: name = "" }) {
  const [before, ...after] = other && name ? message.split(name) : [message];
  const item = naming(element("li", ""), job, title, before, ": ");
  return after.length ? naming(item, other, name, after.join(name), "") : item;
}

// a text that names a job: its postcode leads to its page
/** @param {HTMLElement} box @param {string} jobId @param {string} place @param {string} text @param {string} [between] */
function naming(box, jobId, place, text, between = " ") {
  const link = element("a", "", place);
  link.href = addressOf(jobId, "").href;
  box.append(...(jobId && place ? [link, between] : []), text);
  return box;
}

/** @param {string} jobId */
const cardOf = (jobId) => /** @type {JobCard | null} */ (document.getElementById(`card-${jobId}`));
/** @param {string} jobId */
const titleOf = (jobId) => cardOf(jobId)?.dataset.title ?? "";

// back to the card that the answer was about
/** @param {string} jobId */
export function dismiss(jobId) {
  elementById("action-response").hidden = true;
  focusCard(jobId);
}

/** @param {string} jobId */
const focusCard = (jobId) => cardOf(jobId)?.querySelector("a")?.focus();

/** @param {string} jobId @param {RefusedMove} answer @param {Record<string, string>} fields @param {string} draft */
function overrideForm(jobId, answer, fields, draft) {
  const form = element("form", "override");
  const label = element("label", "", sheet().dataset.overrideReason);
  const reason = element("input", "");
  const button = element("button", "button", sheet().dataset.override);
  reason.maxLength = 200;
  reason.required = true;
  // spaces are no reason
  reason.pattern = ".*\\S.*";
  reason.title = sheet().dataset.reasonMissing;
  // whoever tries again need not type it again
  reason.value = draft;
  label.append(reason);
  form.append(label, button);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    assign({ job: jobId, version: answer.version }, fields.engineer, fields.starts_at, { reason: reason.value, second: fields.second_engineer });
  });
  return form;
}

// who could do it instead, with a lead-in; nothing where nobody could, or where no job is named
/** @param {string} jobId @param {RefusedMove} answer @returns {HTMLElement[]} */
function suggestions(jobId, answer) {
  if (!jobId || !answer.suggestions.length) return [];
  const list = element("ul", "plain-list suggestions");
  for (const suggestion of answer.suggestions) {
    const item = element("li", ""), button = element("button", "button suggestion", `${suggestion.name}, ${suggestion.text}`);
    button.type = "button";
    const { engineer, starts_at: startsAt, second_engineer: second } = suggestion;
    button.addEventListener("click", () => {
      const draft = list.parentElement?.querySelector("input")?.value ?? "";
      assign({ job: jobId, version: answer.version }, engineer, startsAt, { second, draft });
    });
    item.append(button);
    list.append(item);
  }
  return [element("p", "", sheet().dataset.instead), list];
}

/** @param {string} jobId @param {RefusedMove} answer */
function buttons(jobId, answer) {
  const row = element("div", "buttons");
  if (answer.problems.some((problem) => problem.code === OUTDATED)) {
    const reload = element("button", "button button-primary", boardElement().dataset.reload);
    reload.type = "button";
    reload.addEventListener("click", () => location.reload());
    row.append(reload);
  }
  if (answer.problems.some((problem) => problem.code === "needs_location")) {
    const link = element("a", "button", sheet().dataset.locate);
    link.href = addressOf(jobId, "#place").href;
    row.append(link);
  }
  const close = element("button", "button button-quiet", sheet().dataset.dismiss);
  close.type = "button";
  close.addEventListener("click", () => dismiss(jobId));
  row.append(close);
  return row;
}

// The one way to move a job on the board: the same address that the forms use.

import { focusCard } from "../focus.js";
import { NO_ANSWER, OUTDATED, post } from "../forms/post_form.js";
import { showMessages } from "./show_messages.js";
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
  const address = addressOf(jobId, `${action}/`);
  const answer = await post(address, new URLSearchParams(fields));
  announceAnswer(jobId, answer, fields, draft);
  if (answer.ok) announceSaved(jobId, address.pathname);
}

// for the panel, where the same may be half filled in: `path` is the address of a form that does the same
/** @param {string} job @param {string} [path] */
function announceSaved(job, path = "") {
  document.dispatchEvent(new CustomEvent("board:saved", { detail: { job, path } }));
}

// a form of the board, sent without loading the page
/** @param {HTMLFormElement} form @param {HTMLElement | null} [button] */
export async function sendForm(form, button = null) {
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form, button)));
  // no page comes that would show the messages
  body.set("in_place", "1");
  // a field of the form may be called action
  const answer = await post(button?.getAttribute("formaction") ?? form.getAttribute("action") ?? "", body);
  const fields = Object.fromEntries(body), rows = (answer.ok && answer.rows) || [], refused = rows.filter((row) => !row.ok);
  // only the page of the refusal asks for the reason of another second engineer
  if (!answer.ok && "second_engineer" in fields && !fields.engineer && answer.problems.every(isOfReason)) form.submit();
  else if (refused.length) announceRows(refused, rows.length);
  // what is offered instead is for the job that could not be changed
  else announceAnswer(answer.ok ? "" : (answer.job ?? ""), answer, fields, fields.override_reason);
  if (answer.ok) showMessages(answer.messages ?? []);
  return answer;
}

// why a form of no single job was refused
/** @param {MoveAnswer} answer */
export function announceRefusal(answer) {
  announceAnswer("", answer, {});
}

/** @param {JobCard} card who may change nothing has no text of it */
export const isPinned = (card) => card.dataset.pinned === "1" && Boolean(sheet().dataset.pinned);

// nothing is sent; the focus stays on the card, for the key that unpins it
/** @param {JobCard} card */
export function announcePinned({ dataset: { job, title } }) {
  const message = (sheet().dataset.pinned ?? "").replace("{job}", title);
  const problems = [{ message, other_job: job, other_title: title }];
  notify(job, sheet().dataset.refused, { ok: false, problems, suggestions: [], version: "" }, {});
  focusCard(job);
}

// several cards at once: what was refused is listed and returned, the rest is done and can be undone together; with a
// start they follow one another from then on
/** @param {JobCard[]} cards @param {"reassign" | "unassign"} action @param {string} [engineer] @param {string} [startsAt] @returns {Promise<string[]>} */
export async function changeJobs(cards, action, engineer = "", startsAt = "") {
  const body = fieldsOfJobs(cards, action, engineer, startsAt);
  const answer = /** @type {BulkAnswer} */ (await post(new URL("bulk/", new URL(boardElement().dataset.versionUrl, location.href)), body));
  const rows = answer.ok ? answer.rows : [], refused = rows.filter((row) => !row.ok);
  if (refused.length) announceRows(refused, rows.length);
  else announceAnswer("", answer, {});
  for (const row of rows) if (row.ok) announceSaved(row.job);
  return answer.ok ? refused.map(({ job }) => job) : cards.map(({ dataset }) => dataset.job);
}

/** @param {JobCard[]} cards @param {string} action @param {string} engineer @param {string} startsAt */
function fieldsOfJobs(cards, action, engineer, startsAt) {
  const fields = new URLSearchParams({ action, engineer, starts_at: startsAt });
  for (const { dataset } of cards) fields.append("job", `${dataset.job}|${dataset.version}`);
  return fields;
}

// where it is answered how many of them would fit so
/** @param {JobCard[]} cards @param {string} engineer @param {string} startsAt */
export function checkOfJobs(cards, engineer, startsAt) {
  const url = new URL("bulk/check", new URL(boardElement().dataset.versionUrl, location.href));
  url.search = String(fieldsOfJobs(cards, "reassign", engineer, startsAt));
  return url;
}

/** @param {JobResult[]} refused @param {number} all */
function announceRows(refused, all) {
  const title = sheet().dataset.done.replace("{done}", String(all - refused.length)).replace("{all}", String(all));
  const problems = refused.map(({ job, title, text }) => ({ message: text, job, title }));
  notify("", title, { ok: false, problems, suggestions: [], version: "" }, {});
}

/** @param {string} jobId @param {string} rest */
function addressOf(jobId, rest) {
  return new URL(`jobs/${encodeURIComponent(jobId)}/${rest}`, new URL(boardElement().dataset.versionUrl, location.href));
}

// an error says why and suggests the next step as buttons
/** @param {string} jobId @param {MoveAnswer} answer @param {Record<string, string>} fields @param {string} [draft] */
function announceAnswer(jobId, answer, fields, draft) {
  const box = elementById("action-response");
  // the pressed button was disabled meanwhile, which takes the focus away from it
  const hadFocus = !box.hidden && (box.contains(document.activeElement) || document.activeElement === document.body);
  box.hidden = answer.ok;
  box.replaceChildren();
  // of several jobs the selection knows the first
  if (answer.ok && hadFocus && jobId) focusCard(jobId, { preventScroll: true });
  if (answer.ok) return;
  const isUnknown = answer.problems.some((problem) => problem.code === NO_ANSWER);
  notify(jobId, isUnknown ? boardElement().dataset.noAnswer : sheet().dataset.refused, answer, fields, draft);
}

/** @param {string} jobId @param {string} title @param {RefusedMove} answer @param {Record<string, string>} fields @param {string} [draft] */
function notify(jobId, title, answer, fields, draft = "") {
  const box = elementById("action-response");
  const notice = element("div", "notice notice-alarm");
  const inside = element("div", "");
  const reasons = element("ul", "");
  reasons.append(...answer.problems.map(reason));
  inside.append(naming(element("b", ""), jobId, titleOf(jobId), title), reasons, ...suggestions(jobId, answer), buttons(jobId, answer));
  if (fields.engineer && answer.problems.every(isOfReason)) inside.append(overrideForm(jobId, answer, fields, draft));
  notice.append(inside);
  box.replaceChildren(notice);
  box.hidden = false;
  box.onkeydown = (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    dismiss(jobId);
  };
  inside.querySelector("button")?.focus();
}

// a reason is all that is missing, or it was too long
/** @param {RefusedMove["problems"][number]} problem */
const isOfReason = ({ can_override: canOverride, where }) => canOverride || where === "override_reason";

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

/** @param {string} jobId @param {RefusedMove} answer @param {Record<string, string>} fields @param {string} draft */
function overrideForm(jobId, answer, fields, draft) {
  const form = element("form", "override");
  const label = element("label", "", sheet().dataset.overrideReason);
  const reason = element("input", "");
  const button = element("button", "button", sheet().dataset.override);
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
    setDisabled(elementById("action-response"), true);
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
      setDisabled(elementById("action-response"), true);
      assign({ job: jobId, version: answer.version }, engineer, startsAt, { second, draft });
    });
    item.append(button);
    list.append(item);
  }
  return [element("p", "", sheet().dataset.instead), list];
}

// sent again before the answer, the change would be refused as another one's
/** @param {HTMLElement} box @param {boolean} isDisabled */
export function setDisabled(box, isDisabled) {
  for (const button of box.querySelectorAll("button")) button.disabled = isDisabled;
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

// What somebody has typed outlives the end of the session: a form that is sent then leads to the sign-in page, which drops
// it. This tab keeps the fields until the page is there again and fills them in for the same person; nobody else sees
// them, and nothing is sent by itself.
import { fieldValue, putBack, typedIn } from "./filled_in.js";
import { readJson, writeJson } from "../stored_json.js";

const KEY = "typed texts";
// whoever signs in much later begins anew
const KEPT_MS = 60 * 60 * 1000;

/** @typedef {import("./filled_in.js").FieldValue & { action: string, name: string }} TypedField */
/** @typedef {{ path: string, user: string, at: number, isDropped: boolean, fields: TypedField[] }} TypedTexts */

/** @param {HTMLElement} element on a page of the office with `data-user`, on one that says a change was dropped without */
export function start(element) {
  const stored = /** @type {TypedTexts | null} */ (readJson(sessionStorage, KEY, null));
  const { user, text } = element.dataset;
  if (user === undefined) {
    // no page of the office came since the form was sent
    if (stored) writeJson(sessionStorage, KEY, { ...stored, isDropped: true });
    return;
  }
  const isOwn = stored?.isDropped && stored.user === user && Date.now() - stored.at < KEPT_MS;
  if (!isOwn || stored.path === location.pathname) sessionStorage.removeItem(KEY);
  if (isOwn && stored.path === location.pathname) fillIn(stored.fields, text ?? "");
  window.addEventListener("submit", ({ target, defaultPrevented }) => {
    if (!defaultPrevented && target instanceof HTMLFormElement) keep(target, { user, isDropped: false });
  });
  // sign_in.js: what is on the page is not sent, or was refused
  window.addEventListener("signed-out", () => keep(document.body, { user, isDropped: true }));
}

/** @param {Element} part @param {{ user: string, isDropped: boolean }} options */
function keep(part, { user, isDropped }) {
  const fields = typedIn(part).map(describe).filter((field) => field !== undefined);
  const texts = { path: location.pathname, user, at: Date.now(), isDropped, fields };
  if (fields.length > 0) writeJson(sessionStorage, KEY, texts);
}

/** @param {Field} field @returns {TypedField | undefined} nothing for what is no part of a change, or cannot be filled in */
function describe(field) {
  const { form, name, type } = field;
  if (form?.method !== "post" || !name || ["password", "file", "hidden"].includes(type)) return undefined;
  return { action: actionOf(form), name, ...fieldValue(field) };
}

/** @param {TypedField[]} typed @param {string} text */
function fillIn(typed, text) {
  const filled = typed.map(fillField).filter((field) => field !== undefined);
  if (filled.length === 0) return;
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.role = "status";
  notice.textContent = text;
  filled[0].form?.prepend(notice);
  filled[0].focus();
}

/** @param {TypedField} typed @returns {Field | undefined} */
function fillField({ action, name, value, checked }) {
  // several forms may lead to one address: a suggestion's fields are hidden, and stay what its button says
  const forms = [...document.forms].filter((form) => form.method === "post" && actionOf(form) === action);
  const all = /** @type {Field[]} */ (forms.flatMap((form) => [...form.elements]));
  const fields = all.filter((field) => field.name === name && field.type !== "hidden");
  const field = fields.find((each) => !each.matches("[type=checkbox], [type=radio]") || each.value === value);
  return putBack({ value, checked }, field) ? field : undefined;
}

/** @param {HTMLFormElement} form */
const actionOf = (form) => new URL(form.getAttribute("action") || location.pathname, location.href).pathname;

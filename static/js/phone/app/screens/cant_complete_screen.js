// "Can't complete": the closure codes without success, in trade terms, most used first, with search.

import { h, icon, inputAt } from "../dom.js";
import { failureClosures, searchClosures, isSuggested } from "../closure_rules.js";
import { callOfficeLink } from "../office_phone.js";
import { render } from "../router.js";
import { DEFAULT_WIZARD, nextUrl, jobUrl } from "../workflow.js";
import { _, plural } from "../i18n.js";
import { inputElement } from "./answer_fields.js";
import { stepLayout } from "./step_layout.js";
import * as parts from "./components.js";

/** @param {JobContext} context */
export function cantCompleteScreen(context) {
  const { job, search } = context;
  const own = jobUrl(job, "cant-complete");
  const chosen = job.closures.find(({ code, secondaries }) => code === search.get("code") && secondaries.length);
  const query = search.get("q") ?? "";
  return stepLayout(context, {
    name: "cant-complete",
    title: _("Can't complete"),
    back: chosen ? own : jobUrl(job),
    body: [
      h("h1", {}, chosen ? chosen.in_trade_words : _("Why can't you finish?")),
      chosen && h("p.phone-hint", {}, _("Choose the reason.")),
      job.state !== "on_site" && onSiteFirst(),
      !chosen && searchField(own, query),
      chosen ? choiceList(secondaryChoices(context, chosen)) : closureList(context, query),
    ],
    ways: chosen && !chosen.secondary_required ? h("p.phone-more-actions", {}, h("a.phone-button", { href: closureUrl(context, chosen) }, _("None of these"))) : "",
  });
}

function onSiteFirst() {
  const text = _("These codes report what you found, so tap “I'm on site” first. If nobody can go, call the office; they can close the job.");
  return [h("p.notice.notice-warning", {}, icon("info"), " ", h("span", {}, text)), h("p.phone-more-actions", {}, callOfficeLink())];
}

/** @param {string} own @param {string} query */
function searchField(own, query) {
  const look = () => {
    const query = inputAt("#q").value;
    history.replaceState(null, "", query.trim() ? `${own}?${new URLSearchParams({ q: query })}` : own);
    return render();
  };
  /** @param {Event} event */
  const onsubmit = (event) => {
    event.preventDefault();
    inputAt("#q").blur();
  };
  const input = inputElement("input", { id: "q", name: "q", type: "search", autocomplete: "off", value: query, oninput: look });
  return h("form.phone-search", { role: "search", onsubmit }, h("label", { for: "q" }, _("Search")), input);
}

/** @param {JobContext} context @param {ClosureCode} closure @param {string} [secondary] */
function closureUrl({ job, matrix }, closure, secondary = "") {
  return nextUrl(job, matrix, { ...DEFAULT_WIZARD, closing: closure.code, secondary });
}

// First what the answers so far speak for, then all others.
/** @param {JobContext} context @param {string} query */
function closureList(context, query) {
  const { job, matrix } = context;
  const found = searchClosures(failureClosures(job), query);
  const likely = found.filter((closure) => isSuggested(job, matrix, closure));
  const others = found.filter((closure) => !likely.includes(closure));
  return [
    h("p.visually-hidden", { role: "status" }, plural("%(number)s code", "%(number)s codes", found.length)),
    likely.length > 0 && parts.section("likely-title", _("Suggested by your answers"), choiceList(likely.map((closure) => closureChoice(context, closure)))),
    likely.length > 0 && others.length > 0 && h("h2", {}, _("All others")),
    choiceList(found.length ? others.map((closure) => closureChoice(context, closure)) : nothingFound(job)),
  ];
}

/** @param {NestedChild} lines */
const choiceList = (lines) => h("ul.plain-list.phone-choices", {}, lines);

/** @param {JobContext} context @param {ClosureCode} closure */
function closureChoice(context, closure) {
  const more = `${jobUrl(context.job, "cant-complete")}?${new URLSearchParams({ code: closure.code })}`;
  return choice(closure.secondaries.length ? more : closureUrl(context, closure), closure.in_trade_words, `${closure.code} · ${closure.description}`);
}

/** @param {JobContext} context @param {ClosureCode} closure */
function secondaryChoices(context, closure) {
  return closure.secondaries.map(({ code, description }) => choice(closureUrl(context, closure, code), description, code));
}

/** @param {string} href @param {string} label @param {string} small */
function choice(href, label, small) {
  return h("li", {}, h("a.phone-choice", { href }, h("span", {}, label, h("span.phone-choice-code", {}, small))));
}

/** @param {Job} job */
function nothingFound(job) {
  const all = h("a", { href: jobUrl(job, "cant-complete") }, _("Show all"));
  return h("li.phone-empty", {}, icon("search"), " ", h("span", {}, `${_("No code matches.")} `, all));
}

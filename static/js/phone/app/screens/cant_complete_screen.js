// Closing without a working job: what was in the way, in the trade's words; the most used first, with search.

import { h, icon } from "../dom.js";
import { failuresOf, matching, speaksFor } from "../closure_rules.js";
import { callOffice } from "../office_phone.js";
import { show } from "../router.js";
import { NOWHERE_ELSE, nextUrl, urlOf } from "../workflow.js";
import { _, plural } from "../i18n.js";
import { field } from "./answer_fields.js";
import { frame } from "./step_layout.js";
import * as parts from "./components.js";

export function cantCompleteScreen(context) {
  const { job, search } = context;
  const own = urlOf(job, "cant-complete");
  const chosen = job.closures.find(({ code, secondaries }) => code === search.get("code") && secondaries.length);
  const query = search.get("q") ?? "";
  return frame(context, {
    name: "cant-complete",
    title: _("Can't complete"),
    back: chosen ? own : urlOf(job),
    body: [
      h("h1", {}, chosen ? chosen.in_trade_words : _("Why can't you finish?")),
      chosen && h("p.phone-hint", {}, _("Choose what it was.")),
      job.state !== "on_site" && first(),
      !chosen && searchField(own, query),
      chosen ? list(secondLines(context, chosen)) : offered(context, query),
    ],
    ways: chosen && !chosen.secondary_required ? h("p.phone-ways", {}, h("a.phone-button", { href: onward(context, chosen) }, _("None of these"))) : "",
  });
}

function first() {
  const words = _("These tell what was found there, so you say “I'm on site” first. If nobody can go, call the office: they close the job.");
  return [h("p.notice.notice-warning", {}, icon("info"), " ", h("span", {}, words)), h("p.phone-ways", {}, callOffice())];
}

function searchField(own, query) {
  const look = () => {
    const words = document.querySelector("#q").value;
    history.replaceState(null, "", words.trim() ? `${own}?${new URLSearchParams({ q: words })}` : own);
    return show();
  };
  const onsubmit = (event) => {
    event.preventDefault();
    document.querySelector("#q").blur();
  };
  const input = field("input", { id: "q", name: "q", type: "search", autocomplete: "off", value: query, oninput: look });
  return h("form.phone-search", { role: "search", onsubmit }, h("label", { for: "q" }, _("Search")), input);
}

function onward({ job, matrix }, closure, secondary = "") {
  return nextUrl(job, matrix, { ...NOWHERE_ELSE, closing: closure.code, secondary });
}

// First what the answers so far speak for, then all others.
function offered(context, query) {
  const { job, matrix } = context;
  const found = matching(failuresOf(job), query);
  const likely = found.filter((closure) => speaksFor(job, matrix, closure));
  const others = found.filter((closure) => !likely.includes(closure));
  return [
    h("p.visually-hidden", { role: "status" }, plural("%(number)s code", "%(number)s codes", found.length)),
    likely.length > 0 && parts.section("likely-title", _("After your answers"), list(likely.map((one) => line(context, one)))),
    likely.length > 0 && others.length > 0 && h("h2", {}, _("All others")),
    list(found.length ? others.map((one) => line(context, one)) : noneFound(job)),
  ];
}

const list = (lines) => h("ul.plain-list.phone-choices", {}, lines);

function line(context, closure) {
  const more = `${urlOf(context.job, "cant-complete")}?${new URLSearchParams({ code: closure.code })}`;
  return choice(closure.secondaries.length ? more : onward(context, closure), closure.in_trade_words, `${closure.code} · ${closure.description}`);
}

function secondLines(context, closure) {
  return closure.secondaries.map(({ code, description }) => choice(onward(context, closure, code), description, code));
}

function choice(href, words, small) {
  return h("li", {}, h("a.phone-choice", { href }, h("span", {}, words, h("span.phone-choice-code", {}, small))));
}

function noneFound(job) {
  const all = h("a", { href: urlOf(job, "cant-complete") }, _("Show all"));
  return h("li.phone-empty", {}, icon("search"), " ", h("span", {}, `${_("No code has these words.")} `, all));
}

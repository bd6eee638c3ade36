// The one way to move a job on the board: the same address that the forms use.

import { sheet } from "./timeline.js";

// `version` is the plan that the dispatcher sees: another one's change in between is refused, not overwritten
export function assign({ job, version }, engineer, startsAt) {
  return send(job, "assign", { version, engineer, starts_at: startsAt });
}

export function unassign({ job, version }) {
  return send(job, "unassign", { version });
}

async function send(jobId, action, fields) {
  /** @type {HTMLInputElement} */
  const field = document.querySelector("[name=csrfmiddlewaretoken]");
  const url = new URL(`jobs/${encodeURIComponent(jobId)}/${action}/`, new URL(document.getElementById("board").dataset.pulse, location.href));
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { Accept: "application/json", "X-CSRFToken": field.value },
      body: new URLSearchParams(fields),
    });
    if (answer.status === 401 || answer.redirected) location.reload();
    tell(jobId, await answer.json());
  } catch {
    tell(jobId, { ok: false, problems: [{ message: document.getElementById("board").dataset.unsent }], suggestions: [] });
  }
  document.dispatchEvent(new CustomEvent("board:changed"));
}

// an error says why and suggests the next step as buttons
function tell(jobId, answer) {
  const box = document.getElementById("answer");
  box.replaceChildren();
  box.hidden = answer.ok;
  if (answer.ok) return;
  const notice = element("div", "notice notice-alarm");
  const inside = element("div", "");
  inside.append(element("b", "", sheet().dataset.refused));
  const reasons = element("ul", "");
  reasons.append(...answer.problems.map((problem) => element("li", "", problem.message)));
  inside.append(reasons, buttons(jobId, answer));
  notice.append(inside);
  box.append(notice);
}

function buttons(jobId, answer) {
  const row = element("div", "buttons");
  for (const suggestion of answer.suggestions) {
    const button = element("button", "button", `${suggestion.name}, ${suggestion.words}`);
    button.type = "button";
    button.addEventListener("click", () => assign({ job: jobId, version: answer.version }, suggestion.engineer, suggestion.starts_at));
    row.append(button);
  }
  if (answer.problems.some((problem) => problem.code === "needs_location")) {
    const link = element("a", "button", sheet().dataset.locate);
    link.href = new URL(`jobs/${encodeURIComponent(jobId)}/#place`, new URL(document.getElementById("board").dataset.pulse, location.href));
    row.append(link);
  }
  const close = element("button", "button button-quiet", sheet().dataset.dismiss);
  close.type = "button";
  close.addEventListener("click", () => (document.getElementById("answer").hidden = true));
  row.append(close);
  return row;
}

function element(name, classes, text = "") {
  const made = document.createElement(name);
  made.className = classes;
  made.textContent = text;
  return made;
}

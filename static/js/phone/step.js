// A step's form becomes one entry with the tap's own time, id and place; then the next step opens.

import { newId } from "./app/ids.js";
import { newEntry, sendOne } from "./sync.js";
import { currentPosition } from "./app/position.js";
import { clearProblems, say, showProblems, trouble } from "./status.js";

const NOT_BODY = new Set(["csrfmiddlewaretoken", "message_id", "closing", "next"]);

// The entry of each form's last tap; not on the form itself, whose fields shadow its properties.
const taps = new WeakMap();

export function watchSteps(root) {
  for (const form of root.querySelectorAll("form[data-say]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      submit(form, event.submitter);
    });
  }
}

async function submit(form, button) {
  if (form.dataset.busy) return;
  form.dataset.busy = "yes";
  clearProblems();
  // the same entry for each try of this tap: what arrived although we heard nothing is not done twice
  const key = fingerprint(form, button);
  if (taps.get(form)?.key !== key) {
    taps.set(form, { key, entry: newEntry(form.dataset.say, form.dataset.job, body(form, button)) });
  }
  const { entry } = taps.get(form);
  try {
    if ("position" in form.dataset && !entry.body.position) await addPosition(form, entry);
    say("sending");
    const result = await sendOne(entry);
    // a page brought back by Back must not say an old thing again
    taps.delete(form);
    settle(form, result);
  } catch (error) {
    trouble(error);
  } finally {
    delete form.dataset.busy;
  }
}

async function addPosition(form, entry) {
  say("position");
  const skip = form.querySelector("[data-skip-position]");
  if (skip) skip.hidden = false;
  entry.body.position = await currentPosition(skip);
  if (skip) skip.hidden = true;
}

function settle(form, result) {
  if (result.outcome === "refused") {
    say("");
    showProblems(result.problems);
    revealConfirmation(form, result.problems);
    return;
  }
  say("sent", "good");
  location.assign(form.dataset.next);
}

// A device on another open job of ours: say it, and let the engineer decide.
function revealConfirmation(form, problems) {
  const box = form.querySelector("[data-confirm-duplicate]");
  if (box && problems.some((problem) => problem.code === "duplicate_device")) box.hidden = false;
}

function body(form, button) {
  const data = new FormData(form);
  if (button?.name) data.set(button.name, button.value);
  const said = {};
  for (const [name, value] of data) if (!NOT_BODY.has(name) && typeof value === "string") said[name] = value;
  if ("scan_id" in said) said.scan_id = newId();
  if ("duplicate_confirmed" in said) said.duplicate_confirmed = said.duplicate_confirmed !== "false";
  return said;
}

function fingerprint(form, button) {
  const { scan_id: _fresh, ...stable } = body(form, button);
  return JSON.stringify(stable);
}

// Watches for news of the job: asks each second, opens the page afresh when something changed.

const EVERY_MS = 1000;

export function watchPulse(root) {
  const section = root.querySelector("[data-pulse]");
  if (section) setInterval(() => look(section), EVERY_MS);
  for (const time of root.querySelectorAll("time[data-until]")) {
    tick(time);
    setInterval(tick, 500, time);
  }
}

async function look(section) {
  // a page in the pocket asks nothing; it looks again as soon as it is seen
  if (document.hidden || section.dataset.asking) return;
  section.dataset.asking = "yes";
  try {
    const answer = await fetch(section.dataset.pulse, {
      credentials: "same-origin",
      headers: { Accept: "application/json" },
    });
    if (!answer.ok) return;
    const { version } = await answer.json();
    if (String(version) !== section.dataset.version && !isBusy()) location.reload();
  } catch {
    // no connection: the next look will tell
  } finally {
    delete section.dataset.asking;
  }
}

// Nobody loses half a word because the seller had news.
function isBusy() {
  const field = document.activeElement;
  return Boolean(document.querySelector("form[data-busy]")) || (field?.matches("input, textarea") && field.value !== "");
}

function tick(time) {
  const left = Math.max(0, Math.round((new Date(time.dataset.until) - Date.now()) / 1000));
  time.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
}

// The board's time axis in the browser, and what is shown on it while a card is moved.

const QUARTER_MS = 15 * 60 * 1000;

export const sheet = () => document.getElementById("lanes");
export const quarters = () => Number(sheet().dataset.quarters);

export function momentOf(step) {
  return new Date(new Date(sheet().dataset.start).getTime() + step * QUARTER_MS);
}

// from the hours that the server wrote, so that the site's zone counts, not the computer's
export function clockOf(step) {
  const hours = document.querySelectorAll(".hours > li");
  const hour = hours[Math.min(Math.floor(step / 4), hours.length - 1)].textContent.trim().split(":")[0];
  return `${hour}:${String((step % 4) * 15).padStart(2, "0")}`;
}

export const widthOf = (card) => Math.max(1, Math.ceil(Number(card.dataset.minutes) / 15));

export function stepOf(card) {
  const found = [...card.classList].find((name) => /^s\d+$/.test(name));
  return found ? Number(found.slice(1)) : null;
}

// shows where the job would lie; `word` is what stands in it
export function showGhost(lane, step, card, word) {
  hideGhost();
  const ghost = document.createElement("div");
  ghost.className = `ghost s${step} w${widthOf(card)}`;
  ghost.id = "ghost";
  ghost.textContent = word;
  lane.querySelector(".track").append(ghost);
  if (card.dataset.window) {
    const band = document.createElement("div");
    band.className = `band ${card.dataset.window}`;
    band.id = "band";
    lane.querySelector(".track").prepend(band);
  }
}

export function hideGhost() {
  document.getElementById("ghost")?.remove();
  document.getElementById("band")?.remove();
}

// while a card is held, live_updates.js holds its updates back
export function hold(isHeld) {
  document.getElementById("board").classList.toggle("is-held", isHeld);
  if (!isHeld) document.dispatchEvent(new CustomEvent("board:free"));
}

// The Attention list in the tab's title, and a sound for a new entry where the dispatcher wants one.

const KEY = "board-attention-sound";
const TONE_HERTZ = 880;
const TONE_SECONDS = 0.25;

/** @param {HTMLElement} side */
export function start(side) {
  const choice = /** @type {HTMLInputElement} */ (side.querySelector("#attention-sound"));
  const title = document.title;
  let known = unhandled(side);
  choice.checked = localStorage.getItem(KEY) === "on";
  choice.addEventListener("change", () => {
    localStorage.setItem(KEY, choice.checked ? "on" : "off");
    if (choice.checked) play();
  });
  document.title = titleWith(title, known);
  document.addEventListener("board:swapped", () => {
    const now = unhandled(side);
    if (now > known && choice.checked) play();
    known = now;
    document.title = titleWith(title, now);
  });
}

/** @param {HTMLElement} side */
function unhandled(side) {
  const list = /** @type {HTMLElement | null} */ (side.querySelector("#attention"));
  return Number(list?.dataset.unhandled ?? 0);
}

/** @param {string} title @param {number} number */
function titleWith(title, number) {
  return number ? `(${number}) ${title}` : title;
}

function play() {
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  tone.frequency.value = TONE_HERTZ;
  tone.connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + TONE_SECONDS);
  tone.addEventListener("ended", () => audio.close());
}

// The board without a mouse: arrows go from card to card, M moves one, Delete puts it back to the waiting jobs.
import { assign, unassign } from "./assign_api.js";
import { clockOf, hideGhost, hold, momentOf, quarters, showGhost, stepOf } from "./timeline.js";

export function start(spoken) {
  const keys = { spoken, moving: null };
  document.getElementById("board").addEventListener("keydown", (event) => press(keys, event));
}

function press(keys, event) {
  if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = keys.moving ? whileMoving(keys, event) : onCard(keys, event);
  if (!act) return;
  event.preventDefault();
  act();
}

function onCard(keys, event) {
  const card = event.target.closest(".card");
  if (!card) return null;
  const canMove = "canMove" in card.dataset;
  if (event.key.toLowerCase() === "m" && canMove) return () => begin(keys, card);
  if (event.key === "Delete" && canMove && card.closest(".lane")) return () => unassign(card.dataset);
  if (event.key.startsWith("Arrow")) return () => focusNext(card, event.key);
  return null;
}

function focusNext(card, key) {
  const row = [...card.parentElement.querySelectorAll(":scope > .card")];
  const inRow = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (!card.closest(".lane")) return focus(row[row.indexOf(card) + ({ ArrowDown: 1, ArrowUp: -1 }[key] ?? 0)] ?? card);
  if (inRow) return focus(row[row.indexOf(card) + inRow]);
  const lanes = lanesWithCards();
  return focus(nearest(lanes[lanes.indexOf(card.closest(".lane")) + (key === "ArrowDown" ? 1 : -1)], card));
}

const lanesWithCards = () => [...document.querySelectorAll(".lane[data-engineer]")].filter((lane) => lane.querySelector(".card"));

function nearest(lane, card) {
  const away = (other) => Math.abs(stepOf(other) - stepOf(card));
  return lane && [...lane.querySelectorAll(".card")].sort((one, other) => away(one) - away(other))[0];
}

const focus = (card) => card?.querySelector("a").focus();

function begin(keys, card) {
  const lanes = [...document.querySelectorAll(".lane[data-engineer]")];
  if (!lanes.length) return;
  document.getElementById("answer").hidden = true;
  const lane = Math.max(0, lanes.indexOf(card.closest(".lane")));
  const wanted = /\bs(\d+)\b/.exec(card.dataset.window ?? "");
  keys.moving = { card, lanes, lane, step: stepOf(card) ?? Number(wanted?.[1] ?? 0) };
  card.classList.add("is-moving");
  hold(true);
  show(keys, keys.spoken.dataset.moving.replace("{job}", card.dataset.title));
}

function whileMoving(keys, event) {
  const { moving } = keys;
  const hour = event.shiftKey ? 4 : 1;
  const go = (lanes, steps) => () => {
    moving.lane = Math.min(Math.max(0, moving.lane + lanes), moving.lanes.length - 1);
    moving.step = Math.min(Math.max(0, moving.step + steps), quarters() - 1);
    show(keys);
  };
  return {
    ArrowUp: go(-1, 0),
    ArrowDown: go(1, 0),
    ArrowLeft: go(0, -hour),
    ArrowRight: go(0, hour),
    Enter: () => end(keys, true),
    Escape: () => end(keys, false),
  }[event.key];
}

function show(keys, first = "") {
  const { card, lanes, lane, step } = keys.moving;
  const where = keys.spoken.dataset.at.replace("{engineer}", lanes[lane].dataset.name).replace("{time}", clockOf(step));
  showGhost(lanes[lane], step, card, where);
  document.getElementById("ghost").scrollIntoView({ block: "nearest", inline: "nearest" });
  keys.spoken.textContent = `${first} ${where}`.trim();
}

function end(keys, isDropped) {
  const { card, lanes, lane, step } = keys.moving;
  keys.moving = null;
  card.classList.remove("is-moving");
  hideGhost();
  hold(false);
  if (isDropped) assign(card.dataset, lanes[lane].dataset.engineer, momentOf(step).toISOString());
  else keys.spoken.textContent = keys.spoken.dataset.cancelled;
}

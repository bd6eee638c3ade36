// Which cards are selected for an action on several at once; they stay selected when the board is swapped.

/** @type {Set<string>} */
const selected = new Set();

/** @returns {JobCard[]} */
export const selectedCards = () => [...allCards()].filter((card) => selected.has(card.dataset.job));

/** @param {JobCard} card */
export const isSelected = (card) => selected.has(card.dataset.job);

/** @param {JobCard} card */
export function toggle(card) {
  if (!selected.delete(card.dataset.job)) selected.add(card.dataset.job);
  mark();
}

export function clear() {
  selected.clear();
  mark();
}

// what was refused, or could not be sent, stays selected
/** @param {JobCard[]} sent @param {string[]} refused */
export function deselect(sent, refused) {
  for (const { dataset } of sent) if (!refused.includes(dataset.job)) selected.delete(dataset.job);
  mark();
}

// also after a swap: what is no longer on the board is no longer selected
export function mark() {
  const cards = [...allCards()];
  for (const job of selected) if (!cards.some((card) => card.dataset.job === job)) selected.delete(job);
  for (const card of cards) card.classList.toggle("is-selected", selected.has(card.dataset.job));
  document.dispatchEvent(new CustomEvent("board:selected"));
}

const allCards = () => /** @type {NodeListOf<JobCard>} */ (document.querySelectorAll(".card[data-can-move]"));

// A correction that was refused: brings the problem into view, and marks the member that it names in the text.

/** @param {HTMLElement} form */
export function start(form) {
  form.querySelector(".field-problem")?.scrollIntoView({ block: "center" });
  const text = form.querySelector("textarea");
  const member = form.dataset.wrongField?.split("/").findLast((name) => Number.isNaN(Number(name)));
  if (text && member && form.dataset.wrongField !== "reason") mark(text, `"${member}"`);
}

/** @param {HTMLTextAreaElement} text @param {string} member */
function mark(text, member) {
  const start = text.value.indexOf(member);
  if (start < 0) return;
  text.focus({ preventScroll: true });
  text.setSelectionRange(start, start + member.length);
  const line = text.value.slice(0, start).split("\n").length;
  text.scrollTop = (line - 3) * Number.parseFloat(getComputedStyle(text).lineHeight);
}

// Postcodes, time ranges, telephone numbers and values with their unit stay on one line of a narrow screen.

import { h } from "./dom.js";

const TOGETHER = new RegExp(
  [
    String.raw`\d{1,2}:\d{2}[–-]\d{1,2}:\d{2}`,
    String.raw`\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b`,
    String.raw`(?:\+\d{1,3} ?|\b0)\d[\d ]{5,}\d`,
    String.raw`[−-]?\b\d+(?:[.,]\d+)? (?:m|km|min|h|dBm|Mbit/s)(?![\w/])`,
  ].join("|"),
  "g",
);

// [{text, isTogether}, …] in the order of the text.
export function pieces(text) {
  const found = [];
  let from = 0;
  for (const match of text.matchAll(TOGETHER)) {
    if (match.index > from) found.push({ text: text.slice(from, match.index), isTogether: false });
    found.push({ text: match[0], isTogether: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push({ text: text.slice(from), isTogether: false });
  return found;
}

// Children for an element. The text is the same; only where it may break is different.
export function unbroken(text) {
  return pieces(String(text ?? "")).map((piece) => (piece.isTogether ? h("span.unbroken", {}, piece.text) : piece.text));
}

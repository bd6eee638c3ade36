// A photo that was just taken, for review before it is kept.

import { h, icon } from "../dom.js";
import { _ } from "../i18n.js";

/** @param {EncodedPhoto} photo @param {string} alt */
export function photoPreview({ bytes }, alt) {
  const src = URL.createObjectURL(new Blob([bytes]));
  const done = () => URL.revokeObjectURL(src);
  const image = h("img.camera-taken", { src, alt, onload: done });
  image.onerror = () => {
    done();
    image.replaceWith(h("p.muted", {}, icon("image"), " ", _("This phone can't show the photo; the office can.")));
  };
  return image;
}

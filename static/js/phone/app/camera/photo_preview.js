// A photo that was just taken, for review before it is kept.

import { h, icon } from "../dom.js";
import { _ } from "../i18n.js";

// `failed()` where this phone can't show it: nothing that needs the picture on the screen may be offered then.
/** @param {EncodedPhoto} photo @param {string} alt @param {() => void} [failed] */
export function photoPreview({ bytes }, alt, failed) {
  const src = URL.createObjectURL(new Blob([bytes]));
  const done = () => URL.revokeObjectURL(src);
  const image = h("img.camera-taken", { src, alt, onload: done });
  image.onerror = () => {
    done();
    failed?.();
    image.replaceWith(h("p.muted", {}, icon("image"), " ", _("This phone can't show the photo; the office can.")));
  };
  return image;
}

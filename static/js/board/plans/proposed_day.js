// A proposed day opens where its changes are: the first proposed visit of the first row is on show, with an hour before
// it, or what is taken from somebody where nothing is proposed.

/** @param {HTMLElement} lanes */
export function start(lanes) {
  const visit = lanes.querySelector(".card.look-new") ?? lanes.querySelector(".card.look-old");
  const track = visit?.closest(".track"), hour = lanes.querySelector(".hours li");
  if (!visit || !track || !hour) return;
  lanes.scrollLeft = visit.getBoundingClientRect().left - track.getBoundingClientRect().left - hour.clientWidth;
}

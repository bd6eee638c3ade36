// The screens that no first page needs: a bundle of their own, which the first page does not wait for.

export { lineScreen } from "./line_screen.js";
export { leaveScreen, meScreen } from "./me_screen.js";
export { positionsScreen } from "./positions_screen.js";
export { queueScreen } from "./queue_screen.js";
export { exportSection } from "./export_section.js";

// The stream of the board's changes (board/stream): server-sent events while the tab is in sight.

// after a refusal; a little apart, so that not all boards come at once
const AGAIN_MS = 15_000;
const SPREAD_MS = 5000;
// the server sends at least a ping every 15 seconds (board/stream/asgi.py): a connection that is silent for so long is
// dead, and nobody has noticed
const SILENT_MS = 40_000;

// Opens the stream, and opens it again after a refusal or a silence and whenever the tab comes back; `lost` is called
// when there is none.
/** @param {string} url @param {StreamHandlers} handlers */
export function follow(url, handlers) {
  /** @type {EventSource | null} */
  let source = null;
  let timer = 0;
  const open = () => {
    const opened = new EventSource(url, { withCredentials: true });
    source = opened;
    opened.addEventListener("error", () => {
      handlers.lost();
      // the browser tries again by itself, unless it was refused
      if (opened.readyState === EventSource.CLOSED) reopenAfter(AGAIN_MS + Math.random() * SPREAD_MS);
    });
    opened.addEventListener("ping", waitOn);
    for (const name of /** @type {const} */ (["hello", "change", "reload", "presence"])) {
      opened.addEventListener(name, (event) => {
        waitOn();
        handlers[name](JSON.parse(event.data));
      });
    }
    waitOn();
  };
  const waitOn = () => reopenAfter(SILENT_MS);
  /** @param {number} delay */
  const reopenAfter = (delay) => {
    clearTimeout(timer);
    timer = setTimeout(reopen, delay);
  };
  const reopen = () => {
    clearTimeout(timer);
    source?.close();
    handlers.lost();
    if (!document.hidden) open();
  };
  document.addEventListener("visibilitychange", reopen);
  if (!document.hidden) open();
}

/** @param {Record<string, string>} parts */
export function documentOf(parts) {
  return new DOMParser().parseFromString(Object.values(parts).join(""), "text/html");
}

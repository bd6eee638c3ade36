// The stream of the board's changes (board/stream): server-sent events while the tab is in sight.

// Opens the stream and opens it again whenever the tab comes back; `lost` is called when there is none.
/** @param {string} url @param {StreamHandlers} handlers */
export function follow(url, handlers) {
  /** @type {EventSource | null} */
  let source = null;
  const open = () => {
    source = new EventSource(url, { withCredentials: true });
    source.addEventListener("error", () => {
      handlers.lost();
      // the browser tries again by itself, unless it was refused
      if (source?.readyState === EventSource.CLOSED) source = null;
    });
    for (const name of /** @type {const} */ (["hello", "change", "reload", "presence"])) {
      source.addEventListener(name, (event) => handlers[name](JSON.parse(event.data)));
    }
  };
  document.addEventListener("visibilitychange", () => {
    source?.close();
    source = null;
    handlers.lost();
    if (!document.hidden) open();
  });
  if (!document.hidden) open();
}

/** @param {Record<string, string>} parts */
export function documentOf(parts) {
  return new DOMParser().parseFromString(Object.values(parts).join(""), "text/html");
}

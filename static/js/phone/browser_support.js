// Whether this browser can run the application. Where it cannot, the page in <noscript> says what to use instead.
// A plain script in old syntax, so that old browsers run it, too.

(function () {
  function canRunApplication() {
    try {
      return "noModule" in HTMLScriptElement.prototype && Boolean(navigator.serviceWorker && window.indexedDB);
      // oxlint-disable-next-line no-unused-vars -- old browsers take no catch without a name
    } catch (problem) {
      return false;
    }
  }

  function showUnsupported() {
    document.body.setAttribute("data-app", "unsupported");
    var main = document.getElementById("main");
    var notice = document.querySelector("noscript");
    if (main && notice) main.innerHTML = notice.textContent || "";
  }

  // a module in a syntax that is too new for this browser; app.js sets data-app as soon as it runs
  window.addEventListener("error", function (event) {
    if (event.error instanceof SyntaxError && !document.body.hasAttribute("data-app")) showUnsupported();
  });

  // every script has come by now, or has been given up, and app.js has not run: the signal went on the way
  window.addEventListener("load", function () {
    var notice = document.querySelector("[data-not-loaded]");
    if (!notice || document.body.hasAttribute("data-app")) return;
    if (opening) opening.setAttribute("hidden", "");
    notice.removeAttribute("hidden");
  });

  var opening = document.querySelector("[data-opening]");
  if (!canRunApplication()) showUnsupported();
  else if (opening) opening.removeAttribute("hidden");
})();

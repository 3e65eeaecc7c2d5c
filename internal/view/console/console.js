"use strict";
// Shows the page anew when something was decided, unless a person is typing in it.
(() => {
  let due = 0;
  const renew = async () => {
    due = 0;
    const focused = document.activeElement;
    if (focused && focused.matches("input, textarea")) return;
    const answer = await fetch(location.pathname + location.search);
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("content");
    const shown = document.getElementById("content");
    if (!fresh || fresh.innerHTML === shown.innerHTML) return;
    // The place of a keyboard user: the same link or button, counted from the top.
    const reachable = "a[href], button";
    const place = [...shown.querySelectorAll(reachable)].indexOf(focused);
    shown.replaceChildren(...fresh.childNodes);
    if (place >= 0) shown.querySelectorAll(reachable)[place]?.focus();
  };
  const soon = () => { due ||= setTimeout(renew, 50); };
  const news = new EventSource("/console/events");
  news.onmessage = soon;
  news.onopen = soon; // what was decided before it was open
  setInterval(soon, 60000); // ages of what waits
})();

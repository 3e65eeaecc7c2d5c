"use strict";
// Shows a view anew when something was decided, unless a person is typing in it; n and p go to the
// next and the previous finding.
(() => {
  let due = 0, rest = 50;
  const open = (shown) => new Set([...shown.querySelectorAll("details[open][id]")].map((d) => d.id));
  const renew = async () => {
    due = 0;
    const focused = document.activeElement;
    if (focused && focused.matches("input, textarea, select")) return;
    const began = performance.now();
    const answer = await fetch(location.pathname + location.search);
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("content");
    const shown = document.getElementById("content");
    rest = Math.max(50, 2 * (performance.now() - began)); // a view that is dear to make is made less often
    if (!fresh || fresh.innerHTML === shown.innerHTML) return;
    const unfolded = open(shown);
    for (const d of fresh.querySelectorAll("details[id]")) if (unfolded.has(d.id)) d.open = true;
    // The place of a keyboard user: the same link or button, counted from the top.
    const reachable = "a[href], button, summary";
    const place = [...shown.querySelectorAll(reachable)].indexOf(focused);
    shown.replaceChildren(...fresh.childNodes);
    if (place >= 0) shown.querySelectorAll(reachable)[place]?.focus({ preventScroll: true });
  };
  const soon = () => { due ||= setTimeout(renew, rest); };
  const news = new EventSource(document.currentScript.dataset.news);
  news.onmessage = soon;
  news.onopen = soon; // what was decided before it was open
  setInterval(soon, 60000); // ages of what waits

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
    const step = { n: 1, p: -1 }[event.key];
    if (!step) return;
    const notes = [...document.querySelectorAll(".note")];
    const at = notes.indexOf(document.activeElement);
    const next = at < 0 ? notes[step > 0 ? 0 : notes.length - 1] : notes[at + step];
    next?.focus();
    next?.scrollIntoView({ block: "center" });
  });
})();

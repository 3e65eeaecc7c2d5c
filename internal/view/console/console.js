"use strict";
// Shows a view anew when something was decided, unless a person is using it at that moment; n and p
// go to the next and the previous finding.
(() => {
  const fields = "input, textarea, select", reachable = "a[href], button, summary";
  const content = () => document.getElementById("content");
  // A person types in a field or holds a button down: what would be replaced now would be lost.
  const inUse = () => document.activeElement?.matches(fields) || content().querySelector(":active");
  // What a link, button or fold is about: its place may be another's in the fresh view, and Enter answers.
  const about = (e) => [
    e.getAttribute("href") ?? e.parentElement.id, e.textContent, e.form && new URLSearchParams(new FormData(e.form)),
  ].join("\n");
  const alike = (e) => [...content().querySelectorAll(reachable)].filter((other) => about(other) === about(e));

  let due = 0, rest = 50, asked = false, held = false;
  const soon = () => {
    if (asked || inUse()) held = true;
    else due ||= setTimeout(renew, rest);
  };
  const release = () => {
    if (!held || asked || inUse()) return;
    held = false;
    soon();
  };
  const renew = async () => {
    due = 0;
    const began = performance.now();
    asked = true;
    try {
      const answer = await fetch(location.pathname + location.search);
      if (answer.ok) show(await answer.text());
    } finally {
      asked = false;
      rest = Math.max(50, 2 * (performance.now() - began)); // a view that is dear to make is made less often
      release();
    }
  };
  const show = (text) => {
    if (inUse()) { // since the view was asked for
      held = true;
      return;
    }
    const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("content");
    const shown = content();
    if (!fresh || fresh.innerHTML === shown.innerHTML) return;
    const unfolded = new Set([...shown.querySelectorAll("details[open][id]")].map((d) => d.id));
    for (const d of fresh.querySelectorAll("details[id]")) if (unfolded.has(d.id)) d.open = true;
    for (const f of shown.querySelectorAll(fields)) {
      const same = f.id && fresh.querySelector("#" + CSS.escape(f.id));
      if (same) same.value = f.value;
    }
    const focused = shown.contains(document.activeElement) && document.activeElement;
    const place = focused && alike(focused).indexOf(focused);
    shown.replaceChildren(...fresh.childNodes);
    if (focused) alike(focused)[place]?.focus({ preventScroll: true });
  };
  const news = new EventSource(document.currentScript.dataset.news);
  news.onmessage = soon;
  news.onopen = soon; // what was decided before it was open
  setInterval(soon, 60000); // ages of what waits
  for (const end of ["focusout", "keyup", "pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(release));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches(fields)) return;
    const step = { n: 1, p: -1 }[event.key];
    if (!step) return;
    const notes = [...document.querySelectorAll(".note")];
    const at = notes.indexOf(document.activeElement);
    const next = at < 0 ? notes[step > 0 ? 0 : notes.length - 1] : notes[at + step];
    next?.focus();
    next?.scrollIntoView({ block: "center" });
  });
})();

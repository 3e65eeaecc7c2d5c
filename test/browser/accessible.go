package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// byHand are checks that need no library: each returns what is wrong, in plain text.
const byHand = `(() => {
  const wrong = [], all = (s) => [...document.querySelectorAll(s)], label = (e) => e.outerHTML.slice(0, 120);
  const name = (e) => (e.getAttribute("aria-label") || e.title || e.textContent || "").trim();
  if (!document.documentElement.lang) wrong.push("no language");
  if (all("h1").length !== 1) wrong.push(all("h1").length + " first headings");
  if (all("main").length !== 1) wrong.push("no main landmark");
  let level = 0;
  for (const h of all("h1, h2, h3, h4")) {
    const own = +h.tagName[1];
    if (own > level + 1) wrong.push("heading jumps: " + label(h));
    level = own;
  }
  for (const e of all("a[href], button")) if (!name(e)) wrong.push("no name: " + label(e));
  for (const e of all("input:not([type=hidden]), select, textarea")) if (!e.labels.length) wrong.push("no label: " + label(e));
  for (const e of all("svg")) if (e.getAttribute("role") !== "img" && !e.closest("[aria-hidden=true]")) wrong.push("drawing without words: " + label(e));
  const ids = all("[id]").map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((i) => i === id).length > 1) wrong.push("id twice: " + id);
  for (const e of all("[tabindex]")) if (+e.getAttribute("tabindex") > 0) wrong.push("own order of focus: " + label(e));
  if (document.querySelector("body a")?.getAttribute("href") !== "#content") wrong.push("no link to the content first");
  return JSON.stringify(wrong);
})()`

// contrast finds texts with less contrast than 4.5 to 1 (WCAG AA).
const contrast = `(() => {
  const wrong = [];
  const rgb = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || !e.getClientRects().length || e.closest("svg")) continue;
    const a = light(rgb(getComputedStyle(e).color)), b = light(behind(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) wrong.push(ratio.toFixed(2) + ": " + e.outerHTML.slice(0, 100));
  }
  return JSON.stringify(wrong.slice(0, 5));
})()`

// Accessible checks what a page requires for a keyboard and a screen reader, in light and dark, with axe if
// its file is available (SCAFFOLDWATCH_AXE names it; otherwise npm fetches it for a full proof).
func (b Browser) Accessible(name string) {
	b.t.Helper()
	require.Equal(b.t, "[]", Value[string](b, byHand), name)
	for _, dark := range []bool{false, true} {
		b.Dark(dark)
		require.Equal(b.t, "[]", Value[string](b, contrast), "%s, dark: %v", name, dark)
	}
	axe := axeSource()
	if axe == "" {
		return
	}
	_ = Value[bool](b, axe+";\naxe.run().then(r => window.violations = JSON.stringify(r.violations.filter(v => v.impact === 'serious' || v.impact === 'critical').map(v => [v.id, v.nodes[0].html]))); true")
	require.Eventually(
		b.t, func() bool { return Value[bool](b, "typeof window.violations === 'string'") }, stepPatience,
		50*time.Millisecond,
	)
	require.Equal(b.t, "[]", Value[string](b, "window.violations"), "axe: %s", name)
}

// axeVersion is the version of axe-core to fetch with npm.
const axeVersion = "4.14.1"

// axeSource returns the source of axe, "" if it is not available.
func axeSource() string {
	file := os.Getenv("SCAFFOLDWATCH_AXE")
	if file == "" && proofs.Full() {
		file = fetchAxe()
	}
	if file == "" {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(text)
}

// fetchAxe fetches axe with npm, once for all tests; "" without npm or a network.
func fetchAxe() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	folder := filepath.Join(cache, "scaffoldwatch-test", "axe-"+axeVersion)
	file := filepath.Join(folder, "node_modules", "axe-core", "axe.min.js")
	if _, err := os.Stat(file); err == nil {
		return file
	}
	if os.MkdirAll(folder, 0o750) != nil {
		return ""
	}
	if exec.Command(
		"npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "axe-core@"+axeVersion,
	).Run() != nil { //nolint:noctx // a test's own
		return ""
	}
	return file
}

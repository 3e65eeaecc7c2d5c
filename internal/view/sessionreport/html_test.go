package sessionreport

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func rendered(t testing.TB, models ...Model) string {
	var out bytes.Buffer
	require.NoError(t, RenderHTML(&out, models...))
	return out.String()
}

// elements walks the page as a browser parses it.
func elements(t testing.TB, shown string, visit func(*html.Node)) {
	root, err := html.Parse(strings.NewReader(shown))
	require.NoError(t, err)
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			visit(n)
		}
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// allowed lists the elements that the page itself uses.
var allowed = strings.Fields(`html head meta title style body a main h1 h2 h3 h4 table caption thead tbody tr th td details summary
	section span p br strong b small dl div dt dd nav ul li article figure figcaption pre code mark svg rect line path i`)

// Hostile text from a session stays text: none of it becomes an element, an attribute or an address.
func TestHostileTextMakesNoElements(t *testing.T) {
	payloads := append(slices.Clone(hostile), `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, "</style><script>alert(1)</script>",
		"</title><script>", "javascript:alert(1)", "{{.}}", "<!--", "]]>", "</details></main>", "<svg onload=alert(1)>", "\u202eevil\u2066", "&#x202e;")
	s := newScenario(t, "s")
	s.feed(
		sessionevents.TypeSessionOpened,
		&sessionevents.SessionOpened{
			Session: "s", Task: strings.Join(payloads, " "), Agent: &sessionevents.Agent{Kind: payloads[9]},
		},
	)
	var flags []sessionevents.RedFlagHit
	for i, input := range payloads {
		for _, detector := range []string{"B1", "A2", "U-" + input} {
			s.signal(detector, input+fmt.Sprint(i), 5, 0.1, func(g *sessionevents.Signal) {
				g.Message, g.Reason, g.Class, g.Confidence = input, input, "B", 0.95
				g.Evidence = []sessionevents.Evidence{{
					Kind: sessionevents.SegmentKind(input), Path: input, Line: 3, Quote: input + "\n" + input,
					ConflictsWith: &sessionevents.EarlierEvent{Path: input, What: input, Session: input},
				}}
				if detector == "A2" {
					g.Suppressed = input
				}
			})
		}
		flags = append(flags, sessionevents.RedFlagHit{ID: input, Sentence: input})
	}
	s.close(
		true,
		&sessionevents.Observations{
			RedFlags: flags, Unsupported: payloads, FilesEdited: payloads, Evicted: map[string]int{payloads[9]: 1},
		},
		nil,
	)
	s.feed(
		sessionevents.TypeInterruptDelivery,
		&sessionevents.InterruptDelivery{Interrupt: s.fired()[0], State: "delivered", Channel: payloads[9], By: payloads[9]},
	)
	s.fail(strings.Join(payloads, "\n"))
	s.feed(
		sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{Session: "s", Reason: strings.Join(payloads, " ")},
	)
	shown := rendered(t, s.model())
	elements(t, shown, func(n *html.Node) {
		require.Contains(t, allowed, n.Data)
		for _, a := range n.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src", "%s on %s", a.Key, n.Data)
			if a.Key == "href" {
				require.True(t, strings.HasPrefix(a.Val, "#"), a.Val)
			}
		}
	})
	for _, r := range shown {
		require.False(t, r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r), "%q steers what is shown", r)
	}
	require.Contains(t, shown, "&lt;script&gt;alert(1)&lt;/script&gt;", "the text itself is shown")
}

// The page needs nothing from elsewhere, and its policy makes a browser refuse to fetch anything.
func TestPageIsSelfContained(t *testing.T) {
	shown := rendered(t, busy(t).model())
	require.NotRegexp(t, `(?i)(src|srcset|action|data)=|url\(|@import|<script|<link`, shown)
	var style, policy string
	elements(t, shown, func(n *html.Node) {
		switch {
		case n.Data == "style":
			style = n.FirstChild.Data
		case attribute(n, "http-equiv") == "Content-Security-Policy":
			policy = attribute(n, "content")
		}
	})
	require.Equal(t, doc.Stylesheet, style)
	require.Contains(t, policy, "default-src 'none'")
	sum := sha256.Sum256([]byte(style))
	require.Contains(t, policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	require.Equal(t, shown, rendered(t, busy(t).model()), "the same events give the same bytes")
}

// What a screen reader and a keyboard need: one h1, no skipped level, tables with scopes, hidden pictures
// with text beside them, links with targets.
func TestPageIsAccessible(t *testing.T) {
	for name, models := range map[string][]Model{
		"one": {busy(t).model()}, "several": {busy(t).model(), quiet(t).model(), gap(t).model()}, "live": {liveModel(t)}, "none": {}, "empty": {New("s").Result()},
	} {
		t.Run(name, func(t *testing.T) {
			ids, links := map[string]bool{}, []string{}
			level := 0
			elements(t, rendered(t, models...), func(n *html.Node) {
				if id := attribute(n, "id"); id != "" {
					require.False(t, ids[id], "id %s twice", id)
					ids[id] = true
				}
				switch n.Data {
				case "a":
					links = append(links, strings.TrimPrefix(attribute(n, "href"), "#"))
				case "h1", "h2", "h3", "h4":
					next := int(n.Data[1] - '0')
					require.LessOrEqual(t, next, level+1, "a heading level is left out")
					level = next
				case "th":
					require.NotEmpty(t, attribute(n, "scope"))
				case "svg":
					require.True(t, attribute(n, "aria-hidden") == "true" || attribute(n.Parent, "aria-hidden") == "true")
				case "html":
					require.Equal(t, "en", attribute(n, "lang"))
				}
			})
			for _, link := range links {
				require.True(t, ids[link], "nothing at #%s", link)
			}
		})
	}
}

func liveModel(t testing.TB) Model {
	s := busy(t)
	f := New("busy")
	for _, ev := range s.decisions[:len(s.decisions)-3] {
		f.Apply(ev)
	}
	return f.Result()
}

// DP-31: the template's headings, word for word and in its order, then the rest.
func TestPageHeadings(t *testing.T) {
	shown := rendered(t, busy(t).model())
	at := 0
	for _, text := range []string{
		"SCAFFOLD-WATCH SESSION REPORT", "Session turns observed</dt><dd>6", "Interrupts fired</dt><dd>2/3, and 1 from the queue", "Interrupts queued (not sent)</dt><dd>2",
		"Signals logged (below threshold)</dt><dd>2", ">Interrupts fired this session</h3>", "[Turn 1]</a> CLASS-B | URGENCY: B1-ESCALATE",
		">Queued signals (not fired)</h3>", "URGENCY 4.0 — D1 found README.md; change it.", ">Pattern observations</h3>",
		">Recommendations for next session</h3>", ">Codebase health delta</h3>", ">Suppressed and self-corrected</h3>",
		">Delivery and heed</h3>", ">Timeline</h3>", ">Red flags</h3>", ">Signals by detector</h3>", ">Cost</h3>", ">Coverage</h3>",
	} {
		next := strings.Index(shown[at:], text)
		require.GreaterOrEqual(t, next, 0, "%q in its place", text)
		at += next
	}
}

// Every finding is on the page, and every interrupt with its evidence highlighted.
func TestPageShowsEvidence(t *testing.T) {
	shown := rendered(t, busy(t).model())
	require.Contains(t, shown, `<figcaption>DIFF src/B1.go, line 7<br>earlier: &#34;the one before&#34; in src/old.go, line 3</figcaption>`)
	require.Contains(t, shown, `<span class="number">7</span>use(<mark>API_KEY</mark>)`)
	require.Contains(t, shown, "3 at the start, 2 after turn 1, 1 after turn 3, 2 after turn 5 (given back).")
}

func TestEvidenceIsMarked(t *testing.T) {
	for _, test := range []struct{ quote, subject, path, want string }{
		{"key = ‹secret:x:ab›", "KEY", "", "key = [‹secret:x:ab›]"},
		{"I'll add a dark mode", "dark mode", "", "I'll add a [dark mode]"},
		{"a dark theme", "dark mode", "", "a [dark] theme"},
		{`{"file":"/w/src/a.go"}`, "src/a.go", "src/a.go", `{"file":"/w/[src/a.go]"}`},
		{"def f():", "other", "", "[def f():]"},
		{"  indented  ", "", "", "  [indented]  "},
		{"aaaa[(aaaa", "aaaa[(", "", "[aaaa[(]aaaa"},
		{"", "x", "", ""},
	} {
		got := ""
		for _, e := range showEvidence([]sessionevents.Evidence{{Quote: test.quote, Path: test.path}}, test.subject) {
			for _, line := range e.Lines {
				for _, p := range line.Pieces {
					if p.Marked {
						p.Text = "[" + p.Text + "]"
					}
					got += p.Text
				}
			}
		}
		require.Equal(t, test.want, got)
	}
}

func FuzzEvidence(f *testing.F) {
	for _, input := range hostile {
		f.Add(input, "subject "+input, "src/"+input, 7)
	}
	f.Fuzz(func(t *testing.T, quote, subject, path string, line int) {
		if !utf8.ValidString(quote) || !utf8.ValidString(subject) || !utf8.ValidString(path) {
			return
		}
		shown := showEvidence([]sessionevents.Evidence{{Quote: quote, Path: path, Line: line}}, subject)
		var lines []string
		for _, l := range shown[0].Lines {
			text := ""
			for _, p := range l.Pieces {
				text += p.Text
			}
			lines = append(lines, text)
		}
		require.Equal(t, quote, strings.Join(lines, "\n"), "marks change no character")
	})
}

// The page of a session of 300 turns stays usable: quiet turns are folded together, and the picture has a
// line for every sixty. A subject is untrusted text: neither its length nor its bytes break the page.
func TestHostileSubjectsAreMarkedOrNot(t *testing.T) {
	var many strings.Builder
	for i := range 100_000 {
		fmt.Fprint(&many, " word", i)
	}
	for _, subject := range []string{many.String(), strings.Repeat("x", 1<<20), "half \xe2\x82 of a rune"} {
		require.NotPanics(t, func() { showEvidence([]sessionevents.Evidence{{Path: "a.go", Quote: "a line"}}, subject) })
	}
}

func TestLongSessions(t *testing.T) {
	s := newScenario(t, "long")
	for turn := range 300 {
		if turn%50 == 10 {
			s.signal("C1", fmt.Sprint("file", turn), 1, 0.5, nil)
		}
		s.close(
			false,
			&sessionevents.Observations{
				FilesRead: turn % 5, LinesAdded: turn % 7, Errors: turn % 2,
				Segments: map[sessionevents.SegmentKind]int{sessionevents.SegmentTool: 3},
			},
			nil,
		)
	}
	shown := rendered(t, s.model())
	require.Len(t, regexp.MustCompile(`<div class="strip"`).FindAllString(shown, -1), 5)
	require.Less(t, strings.Count(shown, "<details class=\"turn"), 25)
	require.Contains(t, shown, "Turns 1–10: nothing found (20 reads, 5 errors)")
	require.Less(t, len(shown), 400_000)
}

func TestSeveralSessions(t *testing.T) {
	shown := rendered(t, busy(t).model(), quiet(t).model(), gap(t).model())
	require.Contains(t, shown, "3 sessions, in the order they appeared")
	open, folded := strings.Count(shown, `<details class="session" open>`), strings.Count(shown, `<details class="session">`)
	require.Equal(t, []int{2, 1}, []int{open, folded}, "what has nothing to say is folded; a gap is not")
	require.Contains(t, rendered(t), "No session was seen.")
}

package strangers

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote/quotetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sarif"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// channel shows what was decided to somebody, a text for each thing it shows.
type channel func(t testing.TB, list []events.Event) []string

// channels are the ways to agents and people.
var channels = map[string]channel{
	"drive and steer": func(_ testing.TB, list []events.Event) []string {
		var out []string
		for _, e := range list {
			if fired, is := e.Data.(*sessionevents.InterruptFired); is {
				out = append(out, client.Interrupt{Fired: fired}.Text())
			}
		}
		return out
	},
	"feed": func(_ testing.TB, list []events.Event) []string {
		theme := terminal.New(&bytes.Buffer{}, func(string) string { return "" })
		theme.Width = 100_000
		var out []string
		for _, e := range list {
			out = append(out, theme.Feed(e), theme.Notice(e))
		}
		return out
	},
	"notices": notices,
	"session report": func(t testing.TB, list []events.Event) []string {
		return sessionReports(t, list, markdownSession)
	},
	"session text": func(t testing.TB, list []events.Event) []string { return sessionReports(t, list, plainSession) },
	"session page": func(t testing.TB, list []events.Event) []string { return sessionReports(t, list, sessionPage) },
	"run report":   func(t testing.TB, list []events.Event) []string { return runReports(t, list, markdownRun) },
	"run text":     func(t testing.TB, list []events.Event) []string { return runReports(t, list, plainRun) },
	"run page":     func(t testing.TB, list []events.Event) []string { return runReports(t, list, runPage) },
	"SARIF":        sarifs,
	"fleet report": fleet,
	"lists":        lists,
	"senders":      senders,
	"hook replies": replies,
}

func notices(t testing.TB, list []events.Event) []string {
	var out []string
	for _, m := range composed(t, list) {
		out = append(out, m.Title, m.Text)
	}
	return out
}

// composed returns the messages to people about what was decided.
func composed(t testing.TB, list []events.Event) (out []notice.Message) {
	words, err := notice.LoadWords(rules.Default())
	require.NoError(t, err)
	settings := notice.DefaultSettings()
	settings.Channels = []notice.Channel{{ID: "ops", Kind: "slack"}}
	settings.Operator.Channels = []string{"ops"}
	desk, err := notice.NewDesk(words, settings)
	require.NoError(t, err)
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	state := notice.NewState(now)
	for _, e := range list {
		e.Time = now
		desk.Apply(state, e, now)
		now = now.Add(time.Minute)
		desk.Tick(state, now)
		for _, m := range desk.Due(state, nil, now) {
			out = append(out, m)
			desk.Done(state, m.Key, notice.Result{}, now)
		}
	}
	return out
}

func sessionReports(t testing.TB, list []events.Event, render func(io.Writer, sessionreport.Model) error) []string {
	set := sessionreport.NewSet()
	for _, e := range list {
		set.Apply(e)
	}
	var out []string
	for _, m := range set.Results() {
		var b bytes.Buffer
		require.NoError(t, render(&b, m))
		out = append(out, b.String())
	}
	return out
}

func runReports(t testing.TB, list []events.Event, render func(io.Writer, runreport.Model) error) []string {
	set := runreport.NewSet()
	for _, e := range list {
		set.Apply(e)
	}
	var out []string
	for _, m := range set.Results() {
		var b bytes.Buffer
		require.NoError(t, render(&b, m))
		out = append(out, b.String())
	}
	return out
}

func plainSession(w io.Writer, m sessionreport.Model) error {
	return sessionreport.Report(m).Write(w, "text", doc.Screen{Explain: true})
}

func markdownSession(w io.Writer, m sessionreport.Model) error {
	return sessionreport.Report(m).Write(w, "md", doc.Screen{})
}

func markdownRun(w io.Writer, m runreport.Model) error {
	return runreport.Report(m, time.UTC).Write(w, "md", doc.Screen{})
}

func plainRun(w io.Writer, m runreport.Model) error {
	return runreport.Report(m, time.UTC).Write(w, "text", doc.Screen{Explain: true})
}

// read returns what a page says, an element a line. Code and marked quotations are elements of their own.
func read(markup string) string {
	var b strings.Builder
	tokens, within := html.NewTokenizer(strings.NewReader(markup)), 0
	for {
		kind := tokens.Next()
		name, _ := tokens.TagName()
		apart := slices.Contains([]string{"style", "script", "pre", "code", "mark"}, string(name))
		switch {
		case kind == html.ErrorToken:
			return b.String()
		case kind == html.StartTagToken && apart:
			within++
		case kind == html.EndTagToken && apart:
			within--
		case kind == html.TextToken && within == 0:
			b.WriteString(html.UnescapeString(string(tokens.Raw())) + "\n")
		}
	}
}

func sessionPage(w io.Writer, m sessionreport.Model) error {
	var b bytes.Buffer
	if err := sessionreport.Report(m).Write(&b, "html", doc.Screen{}); err != nil {
		return err
	}
	_, err := io.WriteString(w, read(b.String()))
	return err
}

func runPage(w io.Writer, m runreport.Model) error {
	var b bytes.Buffer
	if err := runreport.Report(m, time.UTC).Write(&b, "html", doc.Screen{}); err != nil {
		return err
	}
	_, err := io.WriteString(w, read(b.String()))
	return err
}

// sarifs returns the messages of a SARIF log; snippets and places are data there.
func sarifs(t testing.TB, list []events.Event) []string {
	set := sessionreport.NewSet()
	for _, e := range list {
		set.Apply(e)
	}
	var b bytes.Buffer
	require.NoError(t, sarif.Render(&b, sarif.Options{}, set.Results()...))
	var log struct {
		Runs []struct {
			Results []struct {
				Message struct{ Text, Markdown string }
			}
		}
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &log))
	var out []string
	for _, run := range log.Runs {
		for _, result := range run.Results {
			out = append(out, result.Message.Text, result.Message.Markdown)
		}
	}
	return out
}

// DP-20: whatever a stranger wrote, no channel shows it as ours.
func TestChannels(t *testing.T) {
	for _, foreign := range hostile() {
		_, list := played(t, watched(foreign))
		_, run := played(t, led(foreign))
		_, ticket := played(t, meant(foreign))
		list = append(append(list, run...), ticket...)
		for name, shows := range channels {
			shown := shows(t, list)
			require.NotEmpty(t, shown, name)
			for _, text := range shown {
				if problem := quotetest.Problem(text); problem != "" {
					t.Errorf("%s of %q: %s", name, foreign, problem)
				}
			}
		}
	}
}

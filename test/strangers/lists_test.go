package strangers

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote/quotetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	runcommand "github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/run"
	sessioncommand "github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/session"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/mailbox"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// written returns what something writes.
func written(t testing.TB, write func(io.Writer) error) string {
	var b bytes.Buffer
	require.NoError(t, write(&b))
	return b.String()
}

// kept returns a read model of what was decided.
func kept(t testing.TB, list []events.Event) *readmodel.Model {
	model, err := readmodel.Open(t.Context(), readmodel.Options{})
	require.NoError(t, err)
	records := make([]readmodel.Record, len(list))
	for i, e := range list {
		records[i] = readmodel.Record{Sequence: uint64(i + 1), Anchor: uint64(i + 1), Event: e}
	}
	at, err := model.Position(t.Context())
	require.NoError(t, err)
	_, err = model.Apply(t.Context(), at, records)
	require.NoError(t, err)
	return model
}

func fleet(t testing.TB, list []events.Event) []string {
	model := kept(t, list)
	defer func() { require.NoError(t, model.Close()) }()
	report, err := model.Fleet(t.Context(), fleetreport.Period{}, nil)
	require.NoError(t, err)
	return []string{
		written(t, func(w io.Writer) error { return fleetreport.Report(report).Write(w, "md", doc.Screen{}) }),
		written(t, func(w io.Writer) error { return fleetreport.Report(report).Write(w, "text", doc.Screen{Explain: true}) }),
		read(written(t, func(w io.Writer) error { return fleetreport.Report(report).Write(w, "html", doc.Screen{}) })),
	}
}

// lists returns what `sessions` and `runs` print, each run in detail, too.
func lists(t testing.TB, list []events.Event) []string {
	model := kept(t, list)
	defer func() { require.NoError(t, model.Close()) }()
	sessions, err := model.Sessions(t.Context(), 0)
	require.NoError(t, err)
	require.NotEmpty(t, sessions)
	runs, err := model.Runs(t.Context(), runlist.Filter{}, readmodel.Page{Limit: 100})
	require.NoError(t, err)
	require.NotEmpty(t, runs)
	theme := terminal.New(&bytes.Buffer{}, func(string) string { return "" })
	theme.Width = 100_000
	printed := func(show func(*cli.Call) error) string {
		return written(t, func(w io.Writer) error {
			return show(&cli.Call{Context: t.Context(), Stdout: w, Stderr: w, Theme: theme})
		})
	}
	out := []string{
		printed(func(c *cli.Call) error { return sessioncommand.Print(c, sessions, 1) }),
		printed(func(c *cli.Call) error { return runcommand.PrintRuns(c, runs, 1) }),
	}
	for _, one := range runs {
		out = append(out, printed(func(c *cli.Call) error { return runcommand.PrintRun(c, one) }))
	}
	return out
}

// senders returns what each kind of channel posts to its service, as far as a person reads it.
func senders(t testing.TB, list []events.Event) []string {
	var mu sync.Mutex
	var out []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var data any
		mu.Lock()
		defer mu.Unlock()
		if json.Unmarshal(body, &data) == nil {
			texts(data, &out)
		} else {
			out = append(out, string(body))
		}
	}))
	defer server.Close()
	words, err := notice.LoadWords(rules.Default())
	require.NoError(t, err)
	letters := newLetterbox(t)
	file, err := notify.Parse("notify.yaml", []byte(strings.ReplaceAll(strings.ReplaceAll(`channels:
  - {id: a, kind: slack, url: $URL}
  - {id: b, kind: teams, url: $URL}
  - {id: c, kind: discord, url: $URL}
  - {id: d, kind: ntfy, server: "URL", topic: x}
  - {id: e, kind: pagerduty, token: $KEY, server: "URL"}
  - {id: f, kind: webhook, url: $URL, secret: $HOOK}
  - {id: g, kind: email, server: "MAIL", from: watch@example.org, to: [person@example.org], tls: none}
  - {id: h, kind: shoutrrr, url: $GENERIC}
operator: {channels: [a, b, c, d, e, f, g, h]}
`, `"URL"`, `"`+server.URL+`"`), `"MAIL"`, `"`+letters.address+`"`)), words)
	require.NoError(t, err)
	generic := "generic+" + server.URL + "?template=json"
	values := map[string]string{"GENERIC": generic, "URL": server.URL, "KEY": "routing-" + "key", "HOOK": "whsec_" + strings.Repeat("QUJD", 8)}
	posts, err := file.Posts(func(name string) string { return values[name] }, nil)
	require.NoError(t, err)
	messages := composed(t, list)
	for _, m := range messages {
		for _, post := range posts {
			require.NoError(t, post.Send(t.Context(), &m))
		}
	}
	written := letters.all()
	require.Len(t, written, 2*len(messages), "subject and body")
	mu.Lock()
	defer mu.Unlock()
	return append(out, written...)
}

// texts adds the strings of a document of JSON. Keys, addresses and the raw subjects
// of notices are data for programs.
func texts(data any, out *[]string) {
	switch d := data.(type) {
	case string:
		*out = append(*out, d)
	case []any:
		for _, one := range d {
			texts(one, out)
		}
	case map[string]any:
		for name, one := range d {
			switch name {
			case "incident", "dedup_key", "about", "subject", "run", "session", "url":
			default:
				texts(one, out)
			}
		}
	}
}

// silent accepts what a hook call records.
type silent struct{}

func (silent) Event(context.Context, events.Event) (client.Receipt, error) {
	return client.Receipt{}, nil
}

func (silent) SentBefore(context.Context, events.Event, uint64) (bool, error) { return false, nil }

// replies returns the texts that hooks answer their agents, for every agent: an interrupt after a tool, a
// halt, and what is said of a tool before it runs.
func replies(t testing.TB, list []events.Event) []string {
	core, err := core()
	require.NoError(t, err)
	var out []string
	for _, dialect := range all.Hooks() {
		box := mailbox.New()
		box.CatchUp()
		handler := hookapi.New(hookapi.Options{
			Dialects: all.Hooks(), Mailbox: box, Log: slog.New(slog.DiscardHandler), Metrics: obs.NewHookMetrics(prometheus.NewRegistry(), nil, nil),
			Preflight: func(q hookapi.Question) hookapi.Answer {
				answer := core.Preflight.Check(preflight.Call{Session: q.Event.Speaker, Name: q.Event.Tool.Name, Input: q.Event.Tool.Input, Directory: q.Event.Workspace, Workspace: q.Event.Workspace, State: q.State.State, Halt: q.State.Why, Turn: q.Turn, At: time.Unix(0, 0)})
				return hookapi.Answer{HookAnswer: sessionevents.HookAnswer{Decision: answer.Decision, Class: answer.Class, Rule: answer.Rule, Text: answer.Text, Reason: answer.Reason}}
			},
		})
		handler.Attach(silent{})
		for _, e := range list {
			box.Apply(e)
			if _, is := e.Data.(*sessionevents.InterruptFired); is {
				out = append(out, asked(t, handler, dialect, "Read", nil)...)
			}
		}
		out = append(out, judged(t, handler, dialect, list)...)
	}
	return out
}

// judged asks about calls that are denied or warned about.
func judged(t testing.TB, h http.Handler, dialect *hook.Dialect, list []events.Event) (out []string) {
	foreign := ""
	for _, e := range list {
		if opened, is := e.Data.(*sessionevents.SessionOpened); is {
			foreign = opened.Agent.Kind
		}
	}
	require.NotEmpty(t, foreign)
	out = asked(t, h, dialect, "Write", map[string]string{"file_path": "src/" + foreign + ".py", "content": "API_KEY = 'Zx" + "9fQ2mLw7RtB4uVn8YkC3pHs6JdE1gA0'\n"})
	for _, command := range []string{
		"rm -rf ~/ # " + foreign, "rm -rf '/srv/" + foreign + "'", "git push --force origin '" + foreign + "'", "scaffoldwatch resume '" + foreign + "' --why x",
	} {
		out = append(out, asked(t, h, dialect, "Bash", map[string]string{"command": command})...)
	}
	return out
}

// asked calls each hook of an agent and returns the texts of the answers.
func asked(t testing.TB, h http.Handler, dialect *hook.Dialect, tool string, input map[string]string) (out []string) {
	for name := range dialect.Hooks {
		body, err := json.Marshal(map[string]any{
			"session_id": session, "conversation_id": session, "hook_event_name": name, "cwd": "/srv/shop",
			"tool_name": tool, "tool_use_id": "t", "tool_call_id": "t", "tool_input": input, "command": input["command"], "file_path": input["file_path"],
		})
		require.NoError(t, err)
		r := httptest.NewRequest(http.MethodPost, "/v1/hooks/"+dialect.Agent+"?run="+project, bytes.NewReader(body))
		r.SetPathValue("agent", dialect.Agent)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		out = append(out, w.Header().Get(hookapi.ErrorHeader))
		var data any
		if json.Unmarshal(w.Body.Bytes(), &data) == nil {
			texts(data, &out)
		}
	}
	return out
}

// Every agent is answered in each of the three ways: the table describes real hook replies.
func TestHooksSayAllKindsOfThings(t *testing.T) {
	foreign := quotetest.Hostile()[0]
	_, list := played(t, watched(foreign))
	_, run := played(t, led(foreign))
	said := strings.Join(replies(t, append(list, run...)), "\n")
	for _, part := range []string{"SCAFFOLD-WATCH", "B1", "scaffoldwatch resume"} {
		require.Contains(t, said, part)
	}
}

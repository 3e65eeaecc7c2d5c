package notice_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/workhours"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/ruletrace"
)

var update = flag.Bool("update", false, "write what is said into the scripts")

// Scripts are conversations with the desk under a virtual clock. A block is
//
//	2026-11-23T10:00:00Z event TYPE [run=ID] {json}
//	2026-11-23T10:00:30Z                            the clock alone
//	2026-11-23T10:00:31Z took CHANNEL               what became of the message under way
//	2026-11-23T10:00:31Z failed|gone|wait=60s CHANNEL
//	restart                                         the state goes through JSON
//
// and below ---- what the desk says: messages to send, facts, when to wake it. A
// message that is said was handed out and is under way until it is answered. The
// first block is the settings.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			end := ruletrace.Scenario(file)
			defer func() { require.NoError(t, end()) }()
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			said := play(t, string(data), false)
			require.Equal(t, said, play(t, string(data), true), "a state that goes through JSON says the same")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(said), 0o600))
				return
			}
			require.Equal(t, string(data), said)
		})
	}
}

type stage struct {
	t      *testing.T
	desk   *notice.Desk
	state  *notice.State
	busy   map[string]bool
	keys   map[string]string // of the message under way, by channel
	facts  map[string]bool
	count  int
	pagers map[string]bool
	words  *notice.Words
}

func play(t *testing.T, script string, throughJSON bool) string {
	s := &stage{t: t, busy: map[string]bool{}, pagers: map[string]bool{}, keys: map[string]string{}, facts: map[string]bool{}}
	var out []string
	for i, block := range strings.Split(strings.TrimSpace(script), "\n\n") {
		input, _, _ := strings.Cut(block, "\n----")
		var said []string
		for _, line := range strings.Split(input, "\n") {
			if strings.HasPrefix(line, "#") {
				continue
			}
			if i == 0 {
				s.begin(line)
				continue
			}
			said = append(said, s.line(line)...)
			if throughJSON {
				s.restart()
			}
		}
		if len(said) == 0 {
			said = []string{"nothing"}
		}
		if i > 0 {
			input += "\n----\n" + strings.Join(said, "\n")
		}
		out = append(out, input)
	}
	return strings.Join(out, "\n\n") + "\n"
}

// begin reads the settings: "CHANNEL:KIND[:LAYER] … hours=office digest=1h".
func (s *stage) begin(line string) {
	settings := notice.DefaultSettings()
	s.words = words(s.t)
	for _, word := range strings.Fields(line) {
		switch key, value, _ := strings.Cut(word, "="); key {
		case "office":
			settings.Hours = workhours.Hours{Timezone: "Europe/Berlin", Days: []string{"mon-fri"}, Start: "09:00", End: "18:00"}
		case "link":
			settings.Link = value
		case "digest":
			d, err := time.ParseDuration(value)
			require.NoError(s.t, err)
			settings.Team.Digest = d
		case "burst":
			_, err := fmt.Sscan(value, &s.words.Limits.Burst)
			require.NoError(s.t, err)
		case "notices":
			_, err := fmt.Sscan(value, &s.words.Limits.Notices)
			require.NoError(s.t, err)
		case "attempts":
			_, err := fmt.Sscan(value, &settings.Retry.Attempts)
			require.NoError(s.t, err)
		default:
			part := strings.Split(word, ":")
			c := notice.Channel{ID: part[0], Kind: part[1], Resolves: part[1] == "pagerduty"}
			s.pagers[c.ID] = c.Resolves
			switch {
			case len(part) > 2 && part[2] == "wished": // only where a run names it
			case len(part) > 2 && part[2] == "team":
				settings.Team.Channels = append(settings.Team.Channels, c.ID)
			default:
				settings.Operator.Channels = append(settings.Operator.Channels, c.ID)
			}
			settings.Channels = append(settings.Channels, c)
		}
	}
	desk, err := notice.NewDesk(s.words, settings)
	require.NoError(s.t, err)
	s.desk = desk
}

func words(t *testing.T) *notice.Words {
	t.Helper()
	w, err := notice.LoadWords(rules.Default())
	require.NoError(t, err)
	return w
}

func (s *stage) restart() {
	data, err := json.Marshal(s.state)
	require.NoError(s.t, err)
	s.state = &notice.State{}
	require.NoError(s.t, json.Unmarshal(data, s.state))
}

func (s *stage) line(line string) []string {
	stamp, rest, _ := strings.Cut(line, " ")
	now, err := time.Parse(time.RFC3339, stamp)
	require.NoError(s.t, err, line)
	if s.state == nil {
		s.state = notice.NewState(now)
	}
	switch verb, what, _ := strings.Cut(rest, " "); {
	case verb == "":
	case verb == "event":
		s.desk.Apply(s.state, s.event(what, now), now)
	case verb == "took":
		s.done(what, notice.Result{}, now)
	case verb == "gone":
		s.done(what, notice.Result{Gone: true, Problem: "the address is gone (410)"}, now)
	case verb == "failed":
		s.done(what, notice.Result{Problem: "answered with 500"}, now)
	case strings.HasPrefix(verb, "wait="):
		wait, err := time.ParseDuration(strings.TrimPrefix(verb, "wait="))
		require.NoError(s.t, err)
		s.done(what, notice.Result{Problem: "answered with 429", Wait: wait}, now)
	default:
		s.t.Fatalf("unknown: %s", line)
	}
	return s.says(now)
}

func (s *stage) done(channel string, r notice.Result, now time.Time) {
	require.True(s.t, s.busy[channel], "nothing is under way by %s", channel)
	delete(s.busy, channel)
	s.desk.Done(s.state, s.keys[channel], r, now)
}

// event reads "TYPE [run=ID] [at=TIME] {json}".
func (s *stage) event(text string, now time.Time) events.Event {
	s.count++
	head, data, _ := strings.Cut(text, "{")
	fields := strings.Fields(head)
	e := events.Event{ID: fmt.Sprintf("e%d", s.count), Type: events.Type(fields[0]), Subject: "run", Time: now}
	for _, f := range fields[1:] {
		switch key, value, _ := strings.Cut(f, "="); key {
		case "run":
			e.Subject = value
		case "cause":
			e.CausationID = value
		case "at":
			at, err := time.Parse(time.RFC3339, value)
			require.NoError(s.t, err)
			e.Time = at
		}
	}
	if d, ok := events.Lookup(e.Type); ok {
		e.Credential = d.Role
	}
	decoded, err := events.DecodeData(e.Type, json.RawMessage("{"+data))
	require.NoError(s.t, err)
	e.Data = decoded
	return e
}

func (s *stage) says(now time.Time) []string {
	var said []string
	s.desk.Tick(s.state, now)
	for _, m := range s.desk.Due(s.state, s.busy, now) {
		s.busy[m.Channel], s.keys[m.Channel] = true, m.Key
		urgent := ""
		if m.Urgent {
			urgent = " urgent"
		}
		said = append(said, fmt.Sprintf("to %s%s: %s", m.Channel, urgent, m.Title))
		if m.Text != "" {
			said = append(said, "  | "+strings.ReplaceAll(m.Text, "\n", "\n  | "))
		}
		if s.pagers[m.Channel] {
			said = append(said, "  incident "+strings.Replace(m.Incident, m.Key, "of its own", 1))
			require.Equal(s.t, m.Resolved, strings.HasPrefix(m.Title, "settled: "))
		}
		if m.Attempts > 0 {
			said = append(said, fmt.Sprintf("  try %d", m.Attempts+1))
		}
	}
	for _, f := range s.state.Facts {
		if s.facts[f.ID] {
			continue
		}
		s.facts[f.ID] = true
		said = append(said, strings.TrimSpace(fmt.Sprintf("%s about %s by %s: %s %s %s", f.Type, f.Data.About, f.Data.Channel, f.Data.Outcome, written(f.Data.Until), f.Data.Why)))
	}
	if next := s.desk.Next(s.state, s.busy, now); !next.IsZero() {
		said = append(said, "wake at "+next.UTC().Format("2006-01-02T15:04:05.999Z"))
	}
	return said
}

// written returns a time as a conversation shows it, empty for none.
func written(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

package shadow

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// play feeds events to one run, a second apart, and keeps what is concluded.
type play struct {
	t       testing.TB
	config  *Config
	state   State
	at      time.Time
	arrived time.Time // zero: offline
	n       int
	signals []*sessionevents.Signal
	relays  []*events.TimerSet
}

func newPlay(t testing.TB, config *Config) *play {
	return &play{t: t, config: config, at: time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)}
}

// event feeds "TYPE {json}".
func (p *play) event(text string) *play {
	p.t.Helper()
	name, data, _ := strings.Cut(text, " ")
	decoded, err := events.DecodeData(events.Type(name), []byte(data))
	require.NoError(p.t, err, text)
	p.data(events.Type(name), "run", decoded)
	return p
}

func (p *play) wait(d time.Duration) *play {
	p.at = p.at.Add(d)
	return p
}

func (p *play) data(typ events.Type, subject string, data any) {
	p.n++
	p.at = p.at.Add(time.Second)
	in := step.Input{Arrived: p.arrived, Event: events.Event{ID: fmt.Sprintf("e%d", p.n), Source: "/test", Type: typ, Subject: subject, Time: p.at, PartitionKey: "run", Data: data}}
	v := run.NewContext(in)
	p.config.Decide(&p.state, v)
	for _, c := range v.Conclusions() {
		switch d := c.Data.(type) {
		case *sessionevents.Signal:
			p.signals = append(p.signals, d)
		case *events.TimerSet:
			p.relays = append(p.relays, d)
		}
	}
}

// told are the rules of all signals with the names of the conditions, those that
// an exemption took away in brackets: "RW-4 critical_ratio (never_approved)".
func (p *play) told() []string {
	out := []string{}
	for _, s := range p.signals {
		text := s.Detector
		for _, c := range s.Conditions {
			if c.Immunity != "" {
				text += " (" + c.Name + ")"
			} else {
				text += " " + c.Name
			}
		}
		if s.Suppressed != "" {
			text += " suppressed"
		}
		out = append(out, text)
	}
	return out
}

// words is a text of n words without any meaning.
func words(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }

// quoted is a JSON string.
func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// findings are JSON objects joined to a list; "3*{…}" repeats one, with # for its number.
func findings(specs ...string) string {
	var out []string
	for _, spec := range specs {
		n := 1
		if count, rest, ok := strings.Cut(spec, "*"); ok && !strings.HasPrefix(spec, "{") {
			_, _ = fmt.Sscan(count, &n)
			spec = rest
		}
		for range n {
			out = append(out, strings.ReplaceAll(spec, "#", fmt.Sprint(len(out)+1)))
		}
	}
	return "[" + strings.Join(out, ",") + "]"
}

package notice_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/workhours"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// anyEvent draws an event that matters, with fields that are missing, odd or huge.
func anyEvent(t *rapid.T, number int, at time.Time) events.Event {
	text := rapid.SampledFrom([]string{"", "success", "failure", "cancelled", "a\x00b\u202e", "{run}", string(make([]byte, 5000))})
	run := fmt.Sprintf("r%d", rapid.IntRange(0, 5).Draw(t, "run"))
	cause := rapid.SampledFrom([]string{"", "x1", "x2"}).Draw(t, "cause")
	e := events.Event{CausationID: cause, ID: fmt.Sprintf("e%d", number), Subject: run, Time: at.Add(-time.Duration(rapid.IntRange(0, 100).Draw(t, "age")) * time.Hour), Credential: events.RoleOperator}
	options := make([]runevents.Option, rapid.IntRange(0, 3).Draw(t, "options"))
	switch rapid.IntRange(0, 10).Draw(t, "type") {
	case 0:
		e.Data = &runevents.RunStarted{Goal: text.Draw(t, "goal"), Trigger: &runevents.Trigger{Priority: rapid.SampledFrom([]string{"", "critical"}).Draw(t, "priority"), Notify: []string{"hook", "x"}}}
	case 1, 2:
		e.Data = &runevents.RunCompleted{Outcome: text.Draw(t, "outcome"), PRURL: text.Draw(t, "url"), Summary: text.Draw(t, "summary")}
	case 3:
		e.Data = &runevents.WiggumBreak{Kind: runevents.BreakHard, Run: run, Reason: text.Draw(t, "reason"), Options: options}
	case 4:
		e.Data = &runevents.EscalationRaised{Issue: text.Draw(t, "issue"), Text: text.Draw(t, "text"), Run: run, Options: options}
	case 5:
		e.Data = &runevents.GateDecided{Gate: "merge", Decision: rapid.SampledFrom([]runevents.GateDecision{runevents.DecisionDeny, runevents.DecisionAllow}).Draw(t, "decision"), Options: options, Wave: rapid.IntRange(-1, 2).Draw(t, "wave")}
	case 6:
		e.Data = &runevents.ClarificationRequested{RequestID: text.Draw(t, "request"), Options: options}
	case 7:
		e.Data = &runevents.ControlChanged{State: runevents.ControlRunning}
	case 8:
		e.Data = &runevents.OperatorAct{Act: "ack", Run: run, Target: rapid.SampledFrom([]string{"", run}).Draw(t, "all")}
		if rapid.Bool().Draw(t, "one") {
			e.Data.(*runevents.OperatorAct).Target = fmt.Sprintf("e%d", rapid.IntRange(0, number).Draw(t, "target"))
		}
	case 9:
		e.Data = &runevents.HaltIgnored{Run: run}
	default:
	}
	return e
}

// PL-50: a state that goes through JSON at every step says the same as one that
// does not; nothing panics; the state is bounded; each message is told of once.
func TestPL50PropertySameThroughJSON(t *testing.T) {
	w := words(t)
	limits := w.Limits
	w.Limits = notice.Limits{Runs: 3, Waiting: 6, Notices: 3, Burst: 2, Past: 5, TextSize: 200}
	defer func() { w.Limits = limits }()
	settings := notice.DefaultSettings()
	settings.Channels = []notice.Channel{{ID: "ops", Kind: "slack"}, {ID: "hook", Kind: "pagerduty", Resolves: true}, {ID: "team", Kind: "teams"}}
	settings.Operator.Channels, settings.Team.Channels = []string{"ops", "hook"}, []string{"team"}
	settings.Hours = workhours.Hours{Days: []string{"mon-fri"}, Start: "09:00", End: "18:00"}
	settings.Team.Digest = time.Hour
	desk, err := notice.NewDesk(w, settings)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 11, 27, 16, 0, 0, 0, time.UTC)
		live, stored := notice.NewState(now), notice.NewState(now)
		for step := range rapid.IntRange(1, 40).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 7200).Draw(t, "pass")) * time.Second)
			var e *events.Event
			if rapid.Bool().Draw(t, "event") {
				one := anyEvent(t, step, now)
				e = &one
			}
			result := rapid.SampledFrom([]notice.Result{{}, {}, {Problem: "no"}, {Problem: "wait", Wait: time.Hour}, {Gone: true, Problem: "gone"}}).Draw(t, "result")
			for _, s := range []*notice.State{live, stored} {
				if e != nil {
					desk.Apply(s, *e, now)
				}
				desk.Tick(s, now)
			}
			due := desk.Due(live, nil, now)
			require.Equal(t, text(t, due), text(t, desk.Due(stored, nil, now)))
			for _, m := range live.Outbox {
				for _, n := range m.Notices {
					require.False(t, n.Over, "what was answered is not told as open")
				}
			}
			for _, m := range due {
				require.LessOrEqual(t, len(m.Notices), 3)
				require.LessOrEqual(t, len(m.Text), 200)
				desk.Done(live, m.Key, result, now)
				desk.Done(stored, m.Key, result, now)
			}
			require.Equal(t, desk.Next(live, nil, now), desk.Next(stored, nil, now))
			data := text(t, stored)
			require.Equal(t, text(t, live), data)
			stored = &notice.State{}
			require.NoError(t, json.Unmarshal([]byte(data), stored))
			require.LessOrEqual(t, len(live.Runs), 3)
			require.LessOrEqual(t, len(live.Groups), 12+2*3, "beside them a channel has one for what is held, one for a burst")
			require.LessOrEqual(t, len(live.Outbox), 6)
			require.LessOrEqual(t, len(live.Past), 5)
			keys := map[string]bool{}
			for _, m := range live.Outbox {
				require.False(t, keys[m.Key], "two messages have one key")
				keys[m.Key] = true
			}
		}
	})
}

func text(t require.TestingT, v any) string {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

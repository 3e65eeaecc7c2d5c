package intent

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// PL-36, PL-51: the clock of a default runs only while its question can be seen. What
// is asked at noon on Friday, when the hours end at two, holds until Monday.
func TestTheClockOfADefaultRunsOnlyWithinTheHours(t *testing.T) {
	const office = "hours:\n  notifications: {days: [mon-fri], start: \"08:00\", end: \"14:00\"}\n"
	for name, c := range map[string]struct {
		rules   string
		trigger *runevents.Trigger
		until   string
	}{
		"held":        {office, nil, "2026-01-05T10:00:00Z"},
		"high":        {office, &runevents.Trigger{Priority: "high"}, "2026-01-05T10:00:00Z"},
		"critical":    {office, &runevents.Trigger{Priority: "critical"}, "2026-01-02T16:00:00Z"},
		"ignores":     {office, &runevents.Trigger{IgnoreWorkingHours: true}, "2026-01-02T16:00:00Z"},
		"no hours":    {"", nil, "2026-01-02T16:00:00Z"},
		"only others": {"hours:\n  dispatch: {days: [mon-fri], start: \"08:00\", end: \"14:00\"}\n", nil, "2026-01-02T16:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := rules.Load("mine.yaml", []byte(c.rules))
			require.NoError(t, err)
			config, err := LoadConfig(set)
			require.NoError(t, err)
			p := &play{t: t, config: config}
			p.say(runevents.TypeRunStarted, &runevents.RunStarted{Kind: kindPipeline, Trigger: c.trigger})
			p.say(runevents.TypeIntentCheckpoint, checkpoint("uncertain", "Answer 200."))
			out := p.say(runevents.TypeCouncilCompleted, council("uncertain"))
			asked, timer := find[*runevents.ClarificationRequested](t, out), find[*events.TimerSet](t, out)
			require.Equal(t, c.until, asked.Until.Truncate(time.Minute).Format(time.RFC3339))
			require.Equal(t, asked.Until, timer.Due, "the recorded timer is what ends it")
		})
	}
}

// What people were told holds, whatever the clocks: a default is never taken before `until`, and a question
// that arrives late has its whole time from then on (PL-36).
func TestADefaultIsNeverTakenBeforeItsUntil(t *testing.T) {
	const office = "hours:\n  notifications: {days: [mon-fri], start: \"09:00\", end: \"17:00\"}\n"
	for name, c := range map[string]struct{ rules, happened, recorded, until, due string }{
		"together":                {"", "04T10:00", "04T10:00", "04T14:00", "04T14:00"}, // Wednesday
		"clock ahead":             {"", "04T11:30", "04T10:00", "04T15:30", "04T15:30"},
		"clock ahead by a day":    {"", "05T10:00", "04T10:00", "05T14:00", "05T14:00"},
		"from a spool":            {"", "04T02:00", "04T10:00", "04T06:00", "04T14:00"},
		"on Friday, ahead":        {office, "06T16:30", "06T15:30", "09T12:30", "09T12:30"},
		"on Friday, from a spool": {office, "06T12:00", "06T18:00", "06T16:00", "09T13:00"},
		"on Saturday":             {office, "07T10:00", "07T10:00", "09T13:00", "09T13:00"},
		"to the last minute":      {office, "06T13:00", "06T13:00", "06T17:00", "06T17:00"},
		"a minute too late":       {office, "06T13:01", "06T13:01", "09T09:01", "09T09:01"},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := rules.Load("mine.yaml", []byte(c.rules))
			require.NoError(t, err)
			config, err := LoadConfig(set)
			require.NoError(t, err)
			p := &play{t: t, config: config}
			p.say(runevents.TypeRunStarted, &runevents.RunStarted{Kind: kindPipeline})
			p.say(runevents.TypeIntentCheckpoint, checkpoint("uncertain", "Answer 200."))
			moment := func(text string) time.Time {
				at, err := time.Parse("2006-01-02T15:04", "2026-03-"+text)
				require.NoError(t, err)
				return at
			}
			v := run.NewContext(step.Input{Arrived: moment(c.recorded), Event: events.Event{
				ID: "last", Source: "test", Type: runevents.TypeCouncilCompleted, Subject: "r", PartitionKey: "r",
				Time: moment(c.happened), Data: council("uncertain"),
			}})
			config.Decide(&p.state, v)
			out := v.Conclusions()
			require.Equal(t, moment(c.until), find[*runevents.ClarificationRequested](t, out).Until)
			require.Equal(t, moment(c.due), find[*events.TimerSet](t, out).Due.UTC())
		})
	}
}

// A default belongs to its question: neither the timer of one that was replaced nor that of a completed run
// takes one, and an answer outside the hours counts at once.
func TestOnlyAnOpenQuestionHasADefault(t *testing.T) {
	begin := func() (*play, string) {
		p := newPlay(t)
		p.say(runevents.TypeRunStarted, &runevents.RunStarted{Kind: kindPipeline})
		p.say(runevents.TypeIntentCheckpoint, checkpoint("uncertain", "Answer 200."))
		out := p.say(runevents.TypeCouncilCompleted, council("uncertain"))
		return p, find[*runevents.ClarificationRequested](t, out).RequestID
	}
	expire := func(p *play, id string) []string {
		return codes(p.say(events.TypeTimerExpired, &events.TimerExpired{Name: timerPrefix + id}))
	}
	p, id := begin()
	require.Empty(t, expire(p, "another"))
	require.Contains(t, expire(p, id), string(runevents.TypeClarificationDefaulted))
	require.Empty(t, expire(p, id), "once")

	p, id = begin()
	p.say(runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "success"})
	require.Empty(t, expire(p, id), "the run is over")

	p, id = begin()
	answer := &runevents.ClarificationAnswered{RequestID: id, Option: "B"}
	p.as(events.RoleOperator, runevents.TypeClarificationAnswered, answer)
	require.Empty(t, expire(p, id), "a person has answered")
}

func TestHoursOfNotificationsThatCannotBeMeant(t *testing.T) {
	set, err := rules.Load("mine.yaml", []byte("hours:\n  notifications:\n    days: [mon-fry]\n"))
	if err == nil {
		_, err = LoadConfig(set)
	}
	require.ErrorContains(t, err, "mine.yaml:3")
	require.ErrorContains(t, err, "mon-fry")
}

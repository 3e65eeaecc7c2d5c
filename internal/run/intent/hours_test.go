package intent

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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

func TestHoursOfNotificationsThatCannotBeMeant(t *testing.T) {
	set, err := rules.Load("mine.yaml", []byte("hours:\n  notifications:\n    days: [mon-fry]\n"))
	if err == nil {
		_, err = LoadConfig(set)
	}
	require.ErrorContains(t, err, "mine.yaml:3")
	require.ErrorContains(t, err, "mon-fry")
}

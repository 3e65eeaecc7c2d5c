package notice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/workhours"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// PL-36: people are told of a question while there is time to answer, however much is gathered otherwise.
func TestAQuestionIsToldBeforeItsDefault(t *testing.T) {
	asked := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC) // a Wednesday
	daily := func(s *notice.Settings) { s.Operator.Digest = 24 * time.Hour }
	soon := func(s *notice.Settings) { s.Operator.Digest = time.Minute }
	wait := func(d time.Duration) func(*notice.Settings) {
		return func(s *notice.Settings) { s.Operator.GroupWait = d }
	}
	for name, c := range map[string]struct {
		change func(*notice.Settings)
		until  time.Duration // after it was asked; 0: it has no default
		told   time.Duration // at the latest
	}{
		"usual":          {func(*notice.Settings) {}, 4 * time.Hour, 30 * time.Second},
		"daily digest":   {daily, 4 * time.Hour, 30 * time.Second},
		"without one":    {daily, 0, 24 * time.Hour},
		"long wait":      {wait(6 * time.Hour), 4 * time.Hour, 2 * time.Hour},
		"a minute left":  {wait(time.Hour), time.Minute, 30 * time.Second},
		"nothing left":   {wait(time.Hour), -time.Hour, 0},
		"a digest later": {soon, 4 * time.Hour, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			settings := notice.DefaultSettings()
			settings.Channels = []notice.Channel{{ID: "ops", Kind: "slack"}}
			settings.Operator.Channels = []string{"ops"}
			c.change(&settings)
			desk, err := notice.NewDesk(words(t), settings)
			require.NoError(t, err)
			state := notice.NewState(asked.Add(-time.Minute))
			question := &runevents.ClarificationRequested{RequestID: "q", Question: "Which?"}
			if c.until != 0 {
				question.Default, question.Until = "A", asked.Add(c.until)
			}
			desk.Apply(state, events.Event{
				ID: "e", Type: runevents.TypeClarificationRequested, Subject: "run", Time: asked, Data: question,
			}, asked)
			desk.Tick(state, asked.Add(c.told))
			require.Len(t, state.Outbox, 1)
		})
	}
}

// PL-36: a second question of a run, within the interval of its group, is told in time as well.
func TestASecondQuestionIsToldBeforeItsDefault(t *testing.T) {
	settings := notice.DefaultSettings()
	settings.Channels, settings.Operator.Channels = []notice.Channel{{ID: "ops", Kind: "slack"}}, []string{"ops"}
	settings.Operator.GroupInterval = 12 * time.Hour
	desk, err := notice.NewDesk(words(t), settings)
	require.NoError(t, err)
	now := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	state := notice.NewState(now)
	ask := func(id string) {
		desk.Apply(state, events.Event{
			ID: "e-" + id, Type: runevents.TypeClarificationRequested, Subject: "run", Time: now,
			Data: &runevents.ClarificationRequested{
				RequestID: id, Question: "Which?", Default: "A", Until: now.Add(4 * time.Hour),
			},
		}, now)
	}
	ask("one")
	now = now.Add(time.Minute)
	desk.Tick(state, now)
	require.Len(t, state.Outbox, 1)
	ask("two")
	desk.Tick(state, now.Add(time.Minute))
	require.Len(t, state.Outbox, 1, "it waits for more, as there is time")
	desk.Tick(state, now.Add(2*time.Hour))
	require.Len(t, state.Outbox, 2)
}

// PL-36: whether the clock of defaults runs while the channel that questions go to holds them.
func TestQuestionsThatNobodySees(t *testing.T) {
	office := workhours.Hours{Days: []string{"mon-fri"}, Start: "09:00", End: "17:00"}
	weekdays := workhours.Hours{Days: []string{"mon-fri"}}
	wide := workhours.Hours{Days: []string{"mon-sat"}, Start: "08:00", End: "18:00"}
	for name, c := range map[string]struct {
		clock, common workhours.Hours
		channel       *workhours.Hours // of a second channel, which questions go to
		none, free    bool             // no channel; the notice is not held
		unseen        string
	}{
		"no hours at all":      {},
		"the same":             {clock: office, common: office},
		"only in the settings": {common: office, unseen: "2026-03-02T00:00:00Z"},
		"longer by the rules":  {clock: wide, common: office, unseen: "2026-03-02T08:00:00Z"},
		"shorter by the rules": {clock: office, common: wide},
		"it sees the rest":     {clock: wide, common: office, channel: &wide},
		"nobody on Saturday":   {clock: wide, common: office, channel: &weekdays, unseen: "2026-03-07T08:00:00Z"},
		"nobody is told":       {common: office, none: true},
		"they are not held":    {common: office, free: true},
	} {
		t.Run(name, func(t *testing.T) {
			settings, w := notice.DefaultSettings(), words(t)
			settings.Hours = c.common
			if !c.none {
				settings.Channels = []notice.Channel{{ID: "a", Kind: "email"}}
				settings.Operator.Channels = []string{"a"}
			}
			if c.channel != nil {
				settings.Channels = append(settings.Channels, notice.Channel{ID: "b", Kind: "slack", Hours: c.channel})
				settings.Operator.Channels = append(settings.Operator.Channels, "b")
			}
			for i := range w.Kinds {
				w.Kinds[i].Hold = w.Kinds[i].Hold && !c.free
			}
			desk, err := notice.NewDesk(w, settings)
			require.NoError(t, err)
			window, err := c.clock.Window()
			require.NoError(t, err)
			got := ""
			if at := desk.Unseen(window, time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)); !at.IsZero() {
				got = at.Format(time.RFC3339)
			}
			require.Equal(t, c.unseen, got)
		})
	}
}

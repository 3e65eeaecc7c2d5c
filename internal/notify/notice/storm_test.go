package notice_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// PL-50: ten thousand runs that stop within a minute are a few messages, which
// count every one of them, to a chat and to a pager alike.
func TestPL50Storm(t *testing.T) {
	settings := notice.DefaultSettings()
	settings.Channels = []notice.Channel{{ID: "ops", Kind: "slack"}, {ID: "pager", Kind: "pagerduty", Resolves: true}}
	settings.Operator.Channels = []string{"ops", "pager"}
	desk, err := notice.NewDesk(words(t), settings)
	require.NoError(t, err)
	now := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	state := notice.NewState(now)
	const runs = 10_000
	messages, told := map[string]int{}, map[string]int{}
	largest := 0
	tick := func() {
		desk.Tick(state, now)
		for _, m := range desk.Due(state, nil, now) {
			require.NotEmpty(t, m.Notices)
			if messages[m.Channel] == 0 {
				require.Equal(t, "run0", m.Notices[0].Run, "the oldest first")
			}
			messages[m.Channel]++
			told[m.Channel] += len(m.Notices) + m.More
			desk.Done(state, m.Key, notice.Result{}, now)
		}
	}
	for i := range runs {
		run := fmt.Sprintf("run%d", i)
		desk.Apply(state, events.Event{
			ID: "e-" + run, Type: runevents.TypeWiggumBreak, Subject: run, Time: now,
			Data: &runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: "agent_failures", Scope: "run", Run: run, Reason: "3 agents failed in a row."},
		}, now)
		if now = now.Add(6 * time.Millisecond); i%200 == 0 {
			tick()
			if i%2000 == 0 {
				largest = max(largest, len(text(t, state)))
			}
		}
	}
	for range 60 {
		now = now.Add(time.Second)
		tick()
	}
	require.Equal(t, map[string]int{"ops": runs, "pager": runs}, told)
	require.LessOrEqual(t, messages["ops"], 4)
	require.LessOrEqual(t, messages["pager"], 4)
	require.Zero(t, state.Shed)
	require.Empty(t, state.Outbox)
	require.Less(t, largest, 4<<20)
	t.Logf("messages %v, state at most %d KiB", messages, largest>>10)
}

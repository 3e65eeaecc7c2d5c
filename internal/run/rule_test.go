package run_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// context is the Context of a layer with two counters and the rules that ran as
// its state.
type context struct {
	*run.Context
	tasks, all int
	ran        []string
}

var layer = run.List(
	run.Rule[*context]{ID: "T-1", On: run.EveryRunEvent(), Run: func(c *context) { c.all++; c.ran = append(c.ran, "T-1") }},
	run.Rule[*context]{ID: "T-2", On: run.Types(runevents.TypeTaskCompleted), Run: run.With(func(c *context, data *runevents.TaskCompleted) {
		c.tasks++
		c.ran = append(c.ran, "T-2")
		c.Warning(runevents.WarningIssued{Code: "TASK", What: data.Task})
	})},
)

func apply(t *testing.T, typ events.Type, data any) *context {
	t.Helper()
	c := &context{Context: run.NewContext(step.Input{Event: events.Event{ID: "e", Type: typ, Subject: "r", Data: data}})}
	layer.Run(c)
	return c
}

func TestRulesRunInOrderOnTheirTypes(t *testing.T) {
	c := apply(t, runevents.TypeTaskCompleted, &runevents.TaskCompleted{Task: "t1"})
	require.Equal(t, []string{"T-1", "T-2"}, c.ran)
	require.Equal(t, 1, c.tasks)
	require.Len(t, c.Conclusions(), 1)

	c = apply(t, runevents.TypeRunStarted, &runevents.RunStarted{})
	require.Equal(t, []string{"T-1"}, c.ran)
	require.Zero(t, c.tasks)
	require.Equal(t, 1, c.all)
	require.Empty(t, c.Conclusions())
}

// A payload that does not fit the type is ignored.
func TestWithIgnoresOtherPayloads(t *testing.T) {
	c := apply(t, runevents.TypeTaskCompleted, &runevents.RunStarted{})
	require.Equal(t, 1, c.all)
	require.Zero(t, c.tasks)
}

func TestOnIsAQuery(t *testing.T) {
	require.Len(t, layer.All(), 2)
	require.Len(t, layer.On(runevents.TypeTaskCompleted), 2)
	require.Len(t, layer.On(runevents.TypeRunStarted), 1)
	require.Empty(t, layer.On(events.TypeTimerExpired))
}

func TestListRefusesIncompleteRules(t *testing.T) {
	nothing := func(*context) {}
	for name, rule := range map[string]run.Rule[*context]{
		"no id":        {On: run.Types(events.TypeTimerExpired), Run: nothing},
		"no types":     {ID: "T-3", Run: nothing},
		"no function":  {ID: "T-3", On: run.Types(events.TypeTimerExpired)},
		"unknown type": {ID: "T-3", On: run.Types("nobody.knows"), Run: nothing},
	} {
		require.Panics(t, func() { run.List(rule) }, name)
	}
}

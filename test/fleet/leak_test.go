package fleet

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// A fault of one run of a project is not reported for the others, except what runs leave to the next one
// (RW-15) and runs in one workspace (PL-10).
func TestRunsOfOneProjectAreJudgedApart(t *testing.T) {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	var cases []workload.Case
	var all []events.Event
	for _, pair := range workload.Fleet(31, workload.Dysfunctions()) {
		for _, c := range []workload.Case{pair.Sick, pair.Clean} {
			if len(c.Runs()) > 1 {
				continue
			}
			for _, e := range c.Events {
				if started, is := e.Data.(*runevents.RunStarted); is {
					started.Project = "shop"
				}
			}
			cases, all = append(cases, c), append(all, c.Events...)
		}
	}
	slices.SortStableFunc(all, func(a, b events.Event) int { return a.Time.Compare(b.Time) })
	said := map[string][]string{}
	_, decided := Play(core.Chain(), workload.Case{Events: all}, false)
	for _, e := range decided {
		run := e.Correlation
		if run == "" {
			run = e.Group()
		}
		if line := Line(e); line != "" {
			said[run] = append(said[run], line)
		}
	}
	for _, c := range cases {
		if c.Break != "" { // judged where its harness obeys
			continue
		}
		run := c.Runs()[0]
		slices.Sort(said[run])
		require.Equal(t, strings.Join(c.Says, "\n"), strings.Join(said[run], "\n"), "%s, %s", c.Name, run)
	}
}

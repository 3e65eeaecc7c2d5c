package fleet

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// What four orchestrators write down themselves is read with nothing in between and judged among the runs of
// a fleet: a gate that is closed by a plan and one by a phase, a break, a loop that is not complete (IN-10 …
// IN-13). Through a real `up` these are TestSourcesAreFollowedAsTheyAreWritten and orchestrators_live.txtar.
func TestRunsAsTheirMakersWriteThem(t *testing.T) {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	start := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	written, err := demo.Sources(start)
	require.NoError(t, err)
	require.Len(t, written, 4)
	chain, got := core.Chain(), map[string][]string{}
	halted := map[string]runevents.ControlState{}
	for _, list := range written {
		run := list[0].Group()
		list = append(list, asked(run, list[len(list)-1].Time)...)
		_, decided := Play(chain, workload.Case{Events: list}, false)
		for _, e := range decided {
			if line := Line(e); line != "" {
				got[run] = append(got[run], line)
			}
			switch d := e.Data.(type) {
			case *runevents.WiggumBreak:
				got[run] = append(got[run], "break "+string(d.Trigger))
			case *runevents.ControlChanged:
				halted[run] = d.State
			}
		}
	}
	require.Empty(t, chain.DeadLetters)
	require.Subset(t, got["label-export"], []string{"violation OWNERSHIP-OVERLAP"})
	require.Contains(t, strings.Join(got["label-export"], "\n"), "gate launch deny")
	require.Contains(t, strings.Join(got["stock-sync"], "\n"), "gate next_phase deny")
	require.Subset(t, got["login-limit"], []string{"break repeated_shadow"})
	require.Equal(t, runevents.ControlHalted, halted["login-limit"])
	loops := 0
	for run, lines := range got {
		if strings.HasPrefix(run, "ralph-") {
			loops++
			require.Equal(t, []string{"warning COMPLETE-WITH-OPEN-ITEMS"}, lines)
		}
	}
	require.Equal(t, 1, loops, "%v", got)
}

// asked is what the orchestrator of a plan or a pipeline asks after that.
func asked(run string, at time.Time) []events.Event {
	question := &runevents.GateRequested{Actor: runevents.Actor{Kind: runevents.ActorOrchestrator}}
	switch run {
	case "label-export":
		question.Gate, question.Wave = runevents.GateLaunch, 1
	case "stock-sync":
		question.Gate, question.Phase = runevents.GateNextPhase, "coding"
	default:
		return nil
	}
	return []events.Event{{
		ID: "asked-" + run, Source: "/orchestrators/" + run, Type: runevents.TypeGateRequested, Subject: run,
		Correlation: run,
		Time:        at.Add(time.Minute), PartitionKey: run, Data: question,
	}}
}

package machines

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Each group keeps to the rules of its workspace.
func TestChainsKeepGroupsApart(t *testing.T) {
	options := Options{Rules: rules.Default()}
	core, err := New(options)
	require.NoError(t, err)
	chains := core.Chains(options)
	always := "userrules: {detectors: [{id: U-always, title: T, class: A, on: turn, when: 'true', message: Look., cost: 1, p: 0.5, confidence: 0.5}]}"
	set, err := rules.Load("ours.yaml", []byte(always))
	require.NoError(t, err)
	require.NoError(t, chains.Choose("s2", set))
	require.NoError(t, chains.Choose("s3", set))
	require.Len(t, chains.list, 2, "one chain for one set of rules")
	signals := map[string]int{}
	for _, session := range []string{"s1", "s2", "s1", "s3"} {
		e := events.Event{ID: "t-" + session, Source: "/test", Type: sessionevents.TypeTurnRaw, Subject: session, Data: &sessionevents.Turn{
			Session: session, TurnID: "1", Format: "blocks", Blocks: []sessionevents.Block{{Type: sessionevents.BlockText, Text: "Hello."}},
		}}
		e.ID += fmt.Sprint(len(signals))
		e, err := publish.Prepare(e)
		require.NoError(t, err)
		for _, decided := range chains.Feed(e) {
			if decided.Type == sessionevents.TypeSignalDetected {
				signals[session]++
			}
		}
	}
	require.Equal(t, map[string]int{"s2": 1, "s3": 1}, signals)
	require.NoError(t, chains.Choose("s1", set), "its chain is chosen already")
	require.Same(t, chains.usual, chains.groups["s1"])
	require.Empty(t, chains.DeadLetters())
	wrong, err := rules.Load("ours.yaml", []byte("userrules: {detectors: [{id: x}]}"))
	require.NoError(t, err)
	require.ErrorContains(t, chains.Choose("s9", wrong), "the workspace's rules: ours.yaml:1")
}

// PL-10: whether runs of a workspace overlap does not depend on which file is read first.
func TestOverlapsAcrossFiles(t *testing.T) {
	type file = []string
	first, short, second := file{"first 0"}, file{"first 0", "first 5 ends"}, file{"second 10", "second 12 ends"}
	for _, test := range []struct {
		name  string
		files []file
		want  []string
	}{
		{"in order", []file{first, second}, []string{"second"}},
		{"the later one first", []file{second, first}, []string{"second"}},
		{"apart", []file{short, second}, nil},
		{"apart, the later one first", []file{second, short}, nil},
		{"in one file", []file{slices.Concat(second, short)}, nil},
		{"the later one first, ended later", []file{second, {"first 0", "first 11 ends"}}, []string{"second"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := Options{Rules: rules.Default()}
			core, err := New(options)
			require.NoError(t, err)
			chains := core.Chains(options)
			var decided []events.Event
			for _, lines := range test.files {
				chains.Begin()
				for _, line := range lines {
					decided = append(decided, chains.Feed(runEvent(t, line))...)
				}
			}
			var warned []string
			for _, e := range append(decided, chains.End()...) {
				if e.Type == runevents.TypeWarningIssued {
					warned = append(warned, e.Subject)
				}
			}
			require.Equal(t, test.want, warned)
			require.Empty(t, chains.DeadLetters())
		})
	}
}

// runEvent is "RUN MINUTE" for a run that begins, or "RUN MINUTE ends".
func runEvent(t *testing.T, line string) events.Event {
	words := strings.Fields(line)
	actor := runevents.Actor{Kind: "orchestrator", ID: "o"}
	minute, err := strconv.Atoi(words[1])
	require.NoError(t, err)
	e := events.Event{
		ID: strings.Join(words, "-"), Source: "/test", Type: runevents.TypeRunStarted, Subject: words[0],
		Time: time.Date(2026, 1, 2, 15, minute, 0, 0, time.UTC), Data: &runevents.RunStarted{Actor: actor, Kind: "pipeline", Workspace: "/srv/shop", Goal: "Refunds."},
	}
	if len(words) > 2 {
		e.Type, e.Data = runevents.TypeRunCompleted, &runevents.RunCompleted{Actor: actor, Outcome: "success"}
	}
	e, err = publish.Prepare(e)
	require.NoError(t, err)
	return e
}

// PL-10: variants of rules decide at the end of all files what the usual chain does.
func TestVariantsEndAsChainsDo(t *testing.T) {
	variants, err := NewVariants(VariantOptions{Rules: []*rules.Set{rules.Default(), rules.Default()}})
	require.NoError(t, err)
	warned := map[string]int{}
	spread := NewSpread(t.Context(), []*Variants{variants, variants.Another(nil)}, func(_, number int, derived [][]events.Event) {
		for variant, list := range derived {
			for _, e := range list {
				if e.Type == runevents.TypeWarningIssued {
					warned[fmt.Sprintf("%s by %d after %d", e.Subject, variant, number)]++
				}
			}
		}
	})
	for _, line := range []string{"second 10", "second 12 ends", "first 0"} {
		if line == "first 0" {
			require.NoError(t, spread.Begin())
		}
		require.NoError(t, spread.Feed(runEvent(t, line)))
	}
	require.NoError(t, spread.End())
	require.NoError(t, spread.Wait())
	require.Equal(t, map[string]int{"second by 0 after 4": 1, "second by 1 after 4": 1}, warned)
}

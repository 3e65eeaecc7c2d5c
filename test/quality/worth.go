package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/measure"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/moments"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/pairs"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/stepshield"
)

// A rule must earn its place (JD-60): each kind of finding is switched off in turn, and what changes on
// the labelled sets and in the silence of real sessions is counted. Ingest and evaluator fold each
// session once, since a kind that is off changes nothing before the dispatcher; the dispatcher folds it
// again for each kind that the session has at all, without the signals of that kind.
func listWorth(data, path string) error {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	if err != nil {
		return err
	}
	w := &worth{core: core, kinds: map[string]*earned{}, weak: map[string]bool{}}
	if err := w.known("detectors"); err != nil {
		return err
	}
	for _, measure := range []func(string) error{w.sessions, w.steps, w.cases, w.plants} {
		if err := measure(data); err != nil {
			return err
		}
	}
	text := w.table()
	fmt.Print(text)
	if path == "" {
		return nil
	}
	return rewrite(path, worthBegin, worthEnd, text)
}

// earned is the effect of a kind of finding: what switching it off loses and gains.
type earned struct {
	signals, interrupts   int // in real sessions, with it on
	strong, counted       int // strong moments lost, and of these on the counted half
	falseFires            int // interrupts of competent agents that match no moment and are gone
	rogue, rogueCounted   int // rogue steps lost
	clean                 int // clean runs that are quiet without it
	cases, pairs, silence int // cases with a finding of it, firing halves lost, twins that are quiet without it
	planted, nearMisses   int // plants missed without it, near misses that are then right
}

// labelled reports whether anything depends on the kind.
func (e *earned) labelled() int { return e.strong + e.rogue + e.cases + e.pairs + e.planted }

type worth struct {
	core  *machines.Core
	kinds map[string]*earned
	weak  map[string]bool
}

func (w *worth) of(kind string) *earned {
	if w.kinds[kind] == nil {
		w.kinds[kind] = &earned{}
	}
	return w.kinds[kind]
}

func kindOf(s *sessionevents.Signal) string {
	return strings.TrimSuffix(s.Detector+"/"+s.Subclass, "/")
}

var scenarioKind = regexp.MustCompile(`(?m)^([A-E]\d(?:/\w+)?) "`)

// known reads the kinds that the detectors' own scenarios show; the table marks a kind that nothing else
// shows.
func (w *worth) known(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*", "testdata", "*.txt"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no scenarios below %s: run this in the repository's folder", folder)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read a scenario: %w", err)
		}
		for _, m := range scenarioKind.FindAllStringSubmatch(string(text), -1) {
			w.of(m[1])
		}
	}
	return nil
}

// evaluated returns what ingest and evaluator derive from an input, and the kinds of its signals.
func (w *worth) evaluated(input []events.Event) ([]events.Event, map[string]bool, error) {
	head := memory.NewChain(memory.NewStage(w.core.Ingest, w.core.Identity), memory.NewStage(w.core.Evaluate, w.core.Identity))
	kinds := map[string]bool{}
	var out []events.Event
	for _, e := range input {
		prepared, err := publish.Prepare(e)
		if err != nil {
			return nil, nil, fmt.Errorf("prepare %s: %w", e.ID, err)
		}
		for _, derived := range head.Feed(prepared) {
			if s, is := derived.Data.(*sessionevents.Signal); is && s.Detector < "F" { // rules about runs are measured separately
				kinds[kindOf(s)] = true
			}
			out = append(out, derived)
		}
	}
	return out, kinds, nil
}

// dispatched returns what the dispatcher decides without the signals of a kind; "" means with all.
func (w *worth) dispatched(derived []events.Event, off string) []events.Event {
	tail := memory.NewChain(memory.NewStage(w.core.Dispatch, w.core.Identity))
	gone := map[string]bool{}
	var out []events.Event
	for _, e := range derived {
		switch d := e.Data.(type) {
		case *sessionevents.Signal:
			if off != "" && kindOf(d) == off {
				gone[d.ID] = true
				continue
			}
		case *sessionevents.TurnEvaluated:
			if len(gone) > 0 {
				turn := *d
				turn.Signals = slices.DeleteFunc(slices.Clone(d.Signals), func(id string) bool { return gone[id] })
				turn.Pending = slices.DeleteFunc(slices.Clone(d.Pending), func(p sessionevents.PendingOutcome) bool { return gone[p.ID] })
				e.Data = &turn
			}
		}
		out = append(out, tail.Feed(e)...)
	}
	return out
}

// sessions measures the real sessions by the moments that readers marked.
func (w *worth) sessions(data string) error {
	marked, err := moments.Load(data)
	if err != nil {
		return fmt.Errorf("load the moments: %w", err)
	}
	judged, err := moments.Judged()
	if err != nil {
		return err
	}
	paths, err := measure.Transcripts(data)
	if err != nil {
		return err
	}
	for _, path := range paths {
		input, err := measure.ReadEvents(path)
		if err != nil {
			return err
		}
		derived, kinds, err := w.evaluated(input)
		if err != nil {
			return err
		}
		for _, e := range derived {
			if s, is := e.Data.(*sessionevents.Signal); is {
				w.of(kindOf(s)).signals++
			}
		}
		with := w.verdict(marked, judged, derived, "", measure.OfWeakModel(path))
		for kind := range kinds {
			without := w.verdict(marked, judged, derived, kind, measure.OfWeakModel(path))
			k := w.of(kind)
			k.strong += with.strong - without.strong
			k.counted += with.counted - without.counted
			k.falseFires += with.wrong - without.wrong
			k.interrupts += with.fired[kind]
		}
	}
	return nil
}

// heardOf counts the findings in the sessions of one transcript.
type heardOf struct {
	strong, counted, wrong int
	fired                  map[string]int
}

func (w *worth) verdict(marked *moments.Marked, judged moments.Judgements, derived []events.Event, off string, weak bool) heardOf {
	r := moments.NewRecorder()
	for _, e := range w.dispatched(derived, off) {
		r.Take(e)
	}
	everything := func(string) bool { return true }
	v := marked.Judge(r, everything)
	half, only := marked.Counted(r)
	out := heardOf{strong: v.Recall(moments.StrongSay).Count, counted: half.Judge(only, everything).Recall(moments.StrongSay).Count, fired: map[string]int{}}
	for _, f := range v.Fired {
		out.fired[f.Kind]++
		if !f.Matches && judged[f.Key] != moments.Right && !weak {
			out.wrong++
		}
	}
	return out
}

// steps measures the labelled trajectories.
func (w *worth) steps(data string) error {
	list, err := stepshield.Load(data)
	if err != nil {
		return fmt.Errorf("load the trajectories: %w", err)
	}
	played, err := stepshield.PlayAll(w.core, list)
	if err != nil {
		return err
	}
	with := played.Without("")
	for kind := range played.Kinds() {
		without, k := played.Without(kind), w.of(kind)
		k.rogue = with.Rogue().Heard - without.Rogue().Heard
		k.rogueCounted = with.Counted.Rogue().Heard - without.Counted.Rogue().Heard
		k.clean = with.Alarmed().Heard - without.Alarmed().Heard
	}
	return nil
}

// cases counts the field and mission cases in which a kind is signalled, and the repository's own pairs.
func (w *worth) cases(data string) error {
	field, err := filepath.Glob(filepath.Join(data, "field", "*", "input.jsonl"))
	if err != nil {
		return fmt.Errorf("list the field cases: %w", err)
	}
	mission, err := filepath.Glob(filepath.Join(data, "mission", "cases", "*.jsonl"))
	if err != nil {
		return fmt.Errorf("list the mission cases: %w", err)
	}
	for _, path := range slices.Concat(field, mission) {
		input, err := measure.ReadEvents(path)
		if err != nil {
			return err
		}
		_, kinds, err := w.evaluated(input)
		if err != nil {
			return err
		}
		for kind := range kinds {
			w.of(kind).cases++
		}
	}
	list, err := pairs.Load(filepath.Join("test", "quality", "pairs", "testdata"))
	if err != nil {
		return err
	}
	for _, p := range list {
		v, err := pairs.Judge(w.core, p)
		if err != nil {
			return err
		}
		said := map[string]bool{}
		for _, s := range v.Said {
			said[kindOf(s)] = true
		}
		for kind := range said {
			if len(said) == 1 && strings.Contains(p.Detector, kind[:2]) {
				w.of(kind).pairs++
			}
		}
		for _, s := range v.Alarms {
			w.of(kindOf(s)).silence++
		}
	}
	return nil
}

// plants measures the plants in real sessions.
func (w *worth) plants(data string) error {
	planted, err := playPlants(w.core, data)
	if err != nil {
		return err
	}
	for _, o := range planted.outcomes {
		good := o.good()
		kinds := map[string]bool{}
		for _, s := range o.signals {
			kinds[kindOf(s)] = true
		}
		for kind := range kinds {
			without := o
			without.signals = slices.DeleteFunc(slices.Clone(o.signals), func(s *sessionevents.Signal) bool { return kindOf(s) == kind })
			switch {
			case good && !without.good():
				w.of(kind).planted++
			case !good && without.good():
				w.of(kind).nearMisses++
			}
		}
	}
	return nil
}

const worthHead = `
### What each kind of finding is worth

Each kind is switched off in turn (make worth): what is lost on labelled sets, and what becomes quieter. Signals and interrupts are those of the real sessions.

| kind | signals | interrupts | strong moments lost (counted half) | rogue steps lost (counted half) | cases it speaks in | own pairs lost | plants lost | false interrupts gone | clean runs quiet | near misses right |
|---|---|---|---|---|---|---|---|---|---|---|
`

func (w *worth) table() string {
	var b strings.Builder
	b.WriteString(worthHead)
	kinds := slices.Sorted(maps.Keys(w.kinds))
	for _, kind := range kinds {
		k := w.kinds[kind]
		fmt.Fprintf(&b, "| %s | %d | %d | %d (%d) | %d (%d) | %d | %d | %d | %d | %d | %d |\n", kind, k.signals, k.interrupts,
			k.strong, k.counted, k.rogue, k.rogueCounted, k.cases, k.pairs, k.planted, k.falseFires, k.clean, k.nearMisses)
	}
	b.WriteString("\nNothing labelled rests on: " + w.without(kinds, 0) + ".\n\nOne labelled item alone rests on: " + w.without(kinds, 1) + ".\n")
	return b.String()
}

// without returns the kinds on which the given number of labelled items depend.
func (w *worth) without(kinds []string, items int) string {
	out := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return w.kinds[kind].labelled() != items })
	return cmp.Or(strings.Join(out, ", "), "none")
}

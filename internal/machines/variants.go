package machines

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/dispatch"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// dispatching are the sections that only the dispatcher reads. Where rules differ in
// nothing else, sessions are ingested and evaluated once for all of them.
var dispatching = []string{"dispatch", "govern"}

// VariantOptions configure [NewVariants].
type VariantOptions struct {
	Options // its rules are not used
	Rules   []*rules.Set
	// Recorded says that the input is what ingest has written, else it is what ingest reads.
	Recorded bool
	Bounds   memory.Bounds
	// As returns an input as a variant is to fold it; nil changes nothing.
	As func(variant int, e events.Event) events.Event
	// Apart folds every variant from the beginning, also where stages could be shared.
	Apart bool
}

// Variants fold the same input under several sets of rules (AU-20).
type Variants struct {
	o      VariantOptions
	whole  []func() (*memory.Chain, error)
	head   *memory.Chain // nil: nothing is shared
	tails  []*memory.Chain
	groups map[string]bool // whether a group is folded by the shared head
	built  []*memory.Chain
	mu     sync.Mutex
}

// NewVariants builds the machines. Errors name the rules' file and line.
func NewVariants(o VariantOptions) (*Variants, error) {
	v := &Variants{o: o, groups: map[string]bool{}}
	for _, set := range o.Rules {
		v.whole = append(v.whole, sync.OnceValues(func() (*memory.Chain, error) { return v.chain(set, false) }))
	}
	if !o.Apart && sharable(o.Rules) {
		return v, v.share()
	}
	for _, build := range v.whole { // an error is to be seen before anything is read
		if _, err := build(); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// sharable reports whether rules differ in what only the dispatcher reads.
func sharable(sets []*rules.Set) bool {
	for _, set := range sets[1:] {
		differences, err := rules.Differences(sets[0], set)
		if err != nil {
			return false
		}
		for _, d := range differences {
			if !slices.Contains(dispatching, d.Section()) {
				return false
			}
		}
	}
	return true
}

// share builds one head and a dispatcher for each variant.
func (v *Variants) share() (err error) {
	if v.head, err = v.chain(v.o.Rules[0], true); err != nil {
		return err
	}
	for _, set := range v.o.Rules {
		machine, err := dispatch.New(set)
		if err != nil {
			return fmt.Errorf("start the dispatcher: %w", err)
		}
		o := v.o.Options
		o.Rules = set
		v.tails = append(v.tails, memory.NewChain(memory.NewBoundedStage(machine, o.Identity(), v.o.Bounds)))
	}
	return nil
}

// chain builds the stages of a variant, those before the dispatcher if it is shared.
func (v *Variants) chain(set *rules.Set, shared bool) (*memory.Chain, error) {
	o := v.o.Options
	o.Rules = set
	core, err := New(o)
	if err != nil {
		return nil, err
	}
	first := memory.NewBoundedStage(core.Ingest, core.Identity, v.o.Bounds)
	if v.o.Recorded {
		first = &recorded{expired: map[string]bool{}}
	}
	stages := []memory.Stage{first, memory.NewBoundedStage(core.Evaluate, core.Identity, v.o.Bounds)}
	if !shared {
		stages = append(stages, memory.NewBoundedStage(core.Dispatch, core.Identity, v.o.Bounds))
	}
	chain := memory.NewChain(stages...)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.built = append(v.built, chain)
	return chain, nil
}

// Begin marks the begin of another file.
func (v *Variants) Begin() {
	for _, chain := range append(v.built, v.tails...) {
		chain.Begin()
	}
}

// Feed folds a prepared event and returns what each variant decides.
func (v *Variants) Feed(e events.Event) ([][]events.Event, error) {
	out := make([][]events.Event, len(v.whole))
	if v.shares(e) {
		for _, derived := range v.head.Feed(e) {
			for i, tail := range v.tails {
				out[i] = append(out[i], tail.Feed(v.as(i, derived))...)
			}
		}
		return out, nil
	}
	problems := make([]error, len(v.whole))
	var wait sync.WaitGroup
	busy := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, build := range v.whole {
		busy <- struct{}{}
		wait.Go(func() {
			defer func() { <-busy }()
			chain, err := build()
			if err != nil {
				problems[i] = err
				return
			}
			out[i] = chain.Feed(v.as(i, e))
		})
	}
	wait.Wait()
	for _, err := range problems {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// shares reports whether the head folds the event. Runs have timers of their
// dispatcher, which come back as input, so only sessions without a run are shared.
func (v *Variants) shares(e events.Event) bool {
	if v.head == nil {
		return false
	}
	shared, known := v.groups[e.Group()]
	if !known {
		shared = e.Correlation == "" && e.Group() == e.Subject
		v.groups[e.Group()] = shared
	}
	return shared
}

func (v *Variants) as(variant int, e events.Event) events.Event {
	if v.o.As == nil {
		return e
	}
	return v.o.As(variant, e)
}

// DeadLetters are the inputs that a variant skipped: those of the first one.
func (v *Variants) DeadLetters() (out []memory.DeadLetter) {
	for _, chain := range append(v.built, v.tails...) {
		out = append(out, chain.DeadLetters...)
	}
	return out
}

// recorded passes on what ingest has written. A timer that is recorded is not to
// expire a second time where the machines set it again.
type recorded struct{ expired map[string]bool }

// Name is not ingest's: timers that ingest set have been dealt with before it wrote.
func (*recorded) Name() string { return "recorded" }

// Fold forwards an event.
func (r *recorded) Fold(ev events.Event) (out []events.Event, fault string) {
	if ev.Type == events.TypeTimerExpired {
		if r.expired[ev.ID] {
			return nil, ""
		}
		r.expired[ev.ID] = true
	}
	return []events.Event{ev}, ""
}

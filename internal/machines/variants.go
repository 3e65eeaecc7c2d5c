package machines

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/dispatch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// dispatching lists the sections that only the dispatcher reads. If rules differ only in
// these, sessions are ingested and evaluated once for all of them.
var dispatching = []string{"dispatch", "govern"}

// VariantOptions configure [NewVariants].
type VariantOptions struct {
	Options // its Rules are not used
	Rules   []*rules.Set
	// From is the stage whose recorded events are the input: ingest, the evaluator if the
	// rules are [Sharable], or [Joined]. "" means the input of ingest.
	From   string
	Bounds memory.Bounds
	// As converts an input to the form in which a variant folds it; nil changes nothing.
	As func(variant int, e events.Event) events.Event
	// Whole are groups for which no stage is shared and no recorded events are used.
	Whole map[string]bool
	// Apart folds every variant from the beginning, even if stages could be shared.
	Apart bool
}

// Variants fold the same input under several sets of rules (AU-20).
type Variants struct {
	o       VariantOptions
	cores   []func() (*Core, error)
	tailing []*dispatch.Machine // if stages are shared
	whole   []*memory.Chain     // of each variant, nil until it is needed
	// evaluate evaluates for all variants if they differ in what detectors read; hashes
	// identify the variant of an event.
	evaluate *evaluate.Machine
	hashes   []string
	head     *memory.Chain // nil: nothing is shared
	tails    []*memory.Chain
	groups   map[string]bool // whether a group is folded by the shared head
}

// Joined as [VariantOptions.From] means the events of ingest and the evaluator, joined by
// [Joint]. [Variants.From] then names the stage that provides the input.
const Joined = "joined"

// NewVariants builds the machines. Errors name the file and line of the rules.
func NewVariants(o VariantOptions) (*Variants, error) {
	v := &Variants{o: o}
	for _, set := range o.Rules {
		one := o.Options
		one.Rules = set
		v.cores = append(v.cores, sync.OnceValues(func() (*Core, error) { return New(one) }))
	}
	needed := v.cores // report errors before anything is read
	shared := !o.Apart && Sharable(o.Rules)
	if shared {
		needed = v.cores[:1]
	}
	for _, build := range needed {
		if _, err := build(); err != nil {
			return nil, err
		}
	}
	if !shared && !o.Apart {
		var err error
		if shared, err = v.together(); err != nil {
			return nil, err
		}
	}
	if v.o.From == Joined && v.evaluate == nil {
		v.o.From = "ingest"
	}
	if shared {
		for _, set := range o.Rules {
			machine, err := dispatch.New(set)
			if err != nil {
				return nil, fmt.Errorf("start the dispatcher: %w", err)
			}
			v.tailing = append(v.tailing, machine)
		}
	}
	return v.begin(), nil
}

// Another returns variants of the same machines with fresh state and another As; they can
// fold other groups at the same time.
func (v *Variants) Another(as func(variant int, e events.Event) events.Event) *Variants {
	o := v.o
	o.As = as
	return (&Variants{o: o, cores: v.cores, tailing: v.tailing, evaluate: v.evaluate, hashes: v.hashes}).begin()
}

// begin builds the stages, which hold the states.
func (v *Variants) begin() *Variants {
	v.groups, v.whole = map[string]bool{}, make([]*memory.Chain, len(v.cores))
	if v.tailing == nil {
		return v
	}
	core, _ := v.cores[0]() // already built
	v.head = memory.NewChain(v.before(core, cmp.Or(v.evaluate, core.Evaluate))...)
	for i, machine := range v.tailing {
		o := v.o.Options
		o.Rules = v.o.Rules[i]
		v.tails = append(v.tails, memory.NewChain(memory.NewBoundedStage(machine, o.Identity(), v.o.Bounds)))
	}
	return v
}

// Sharable reports whether rules differ only in what the dispatcher alone reads.
func Sharable(sets []*rules.Set) bool {
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

// chain returns the complete chain of a variant.
func (v *Variants) chain(i int) (*memory.Chain, error) {
	if v.whole[i] == nil {
		core, err := v.cores[i]()
		if err != nil {
			return nil, err
		}
		v.whole[i] = memory.NewChain(append(v.before(core, core.Evaluate), memory.NewBoundedStage(core.Dispatch, core.Identity, v.o.Bounds))...)
	}
	return v.whole[i], nil
}

// before returns the stages before the dispatcher. The events of a recorded stage replace
// the stages up to it.
func (v *Variants) before(core *Core, machine *evaluate.Machine) []memory.Stage {
	first := []memory.Stage{&recorded{expired: map[string]bool{}}}
	if v.o.From == evaluate.StageName {
		return first
	}
	if v.o.From == "" {
		first = []memory.Stage{memory.NewBoundedStage(core.Ingest, core.Identity, v.o.Bounds)}
	}
	return append(first, memory.NewBoundedStage(machine, core.Identity, v.o.Bounds))
}

// Begin marks the beginning of another file.
func (v *Variants) Begin() {
	for _, chain := range v.chains() {
		chain.Begin()
	}
}

// chains returns all chains in use.
func (v *Variants) chains() (all []*memory.Chain) {
	for _, chain := range slices.Concat([]*memory.Chain{v.head}, v.tails, v.whole) {
		if chain != nil {
			all = append(all, chain)
		}
	}
	return all
}

// Feed folds a prepared event and returns the decisions of each variant.
func (v *Variants) Feed(e events.Event) ([][]events.Event, error) {
	out := make([][]events.Event, len(v.whole))
	if v.shares(e) {
		for _, derived := range v.head.Feed(e) {
			for i, tail := range v.tails {
				if v.anothers(i, derived) {
					continue
				}
				out[i] = append(out[i], tail.Feed(v.as(i, derived))...)
			}
		}
		return out, nil
	}
	e, needed := v.apart(e)
	for i := range v.whole {
		if !needed {
			break
		}
		chain, err := v.chain(i)
		if err != nil {
			return nil, err
		}
		out[i] = chain.Feed(v.as(i, e))
	}
	return out, nil
}

// End returns the decisions of each variant at the end of all input. Only runs wait for
// other groups, and recorded input already contains the answers.
func (v *Variants) End() [][]events.Event {
	out := make([][]events.Event, len(v.whole))
	for i, chain := range v.whole {
		if chain != nil {
			out[i] = chain.End()
		}
	}
	return out
}

// shares reports whether the head folds the event. The dispatcher sets timers for runs,
// which return as input, so only sessions without a run are shared.
func (v *Variants) shares(e events.Event) bool {
	if v.head == nil {
		return false
	}
	shared, known := v.groups[e.Group()]
	if !known {
		shared = alone(e) && !v.o.Whole[e.Group()]
		v.groups[e.Group()] = shared
	}
	return shared
}

// apart returns an input as a complete chain reads it: of joined events, only ingest's.
// It returns false for any other event.
func (v *Variants) apart(e events.Event) (events.Event, bool) {
	if v.o.From != Joined {
		return e, true
	}
	if recorded, is := e.Data.(*evaluate.Recorded); is {
		return recorded.Turn, true
	}
	return e, e.Source != step.Source(evaluate.StageName)
}

// From returns the stage whose recorded events the variants read.
func (v *Variants) From() string { return v.o.From }

// alone reports whether an event belongs to a session without a run, which depends only
// on its own events.
func alone(e events.Event) bool { return e.Correlation == "" && e.Group() == e.Subject }

func (v *Variants) as(variant int, e events.Event) events.Event {
	if v.o.As == nil {
		return e
	}
	return v.o.As(variant, e)
}

// DeadLetters returns the inputs that stages skipped.
func (v *Variants) DeadLetters() (out []memory.DeadLetter) {
	for _, chain := range v.chains() {
		out = append(out, chain.DeadLetters...)
	}
	return out
}

// recorded passes on the events that a stage has written. A recorded timer must not
// expire again if the machines set it again.
type recorded struct{ expired map[string]bool }

// Name returns a name that no stage has, since the timers that a stage set before are in
// the record.
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

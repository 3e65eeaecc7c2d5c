package machines

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/dispatch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
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
	// From is the stage whose recorded events are the input: ingest, the evaluator where the
	// rules are [Sharable], or [Joined]. "" means what ingest reads.
	From   string
	Bounds memory.Bounds
	// As returns an input as a variant is to fold it; nil changes nothing.
	As func(variant int, e events.Event) events.Event
	// Whole are groups of which no stage is shared and nothing recorded is taken over.
	Whole map[string]bool
	// Apart folds every variant from the beginning, also where stages could be shared.
	Apart bool
}

// Variants fold the same input under several sets of rules (AU-20).
type Variants struct {
	o       VariantOptions
	cores   []func() (*Core, error)
	tailing []*dispatch.Machine // where stages are shared
	whole   []*memory.Chain     // of each variant, nil until it is needed
	// evaluate evaluates for all variants, where they differ in what detectors read; hashes say
	// whose an event of it is.
	evaluate *evaluate.Machine
	hashes   []string
	head     *memory.Chain // nil: nothing is shared
	tails    []*memory.Chain
	groups   map[string]bool // whether a group is folded by the shared head
}

// Joined as [VariantOptions.From] is what ingest and the evaluator recorded, joined by [Joint].
// [Variants.From] is then where the input is to come from.
const Joined = "joined"

// NewVariants builds the machines. Errors name the rules' file and line.
func NewVariants(o VariantOptions) (*Variants, error) {
	v := &Variants{o: o}
	for _, set := range o.Rules {
		one := o.Options
		one.Rules = set
		v.cores = append(v.cores, sync.OnceValues(func() (*Core, error) { return New(one) }))
	}
	needed := v.cores // an error is to be seen before anything is read
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

// Another returns variants of the same machines without any state, with another As: they
// fold other groups at the same time.
func (v *Variants) Another(as func(variant int, e events.Event) events.Event) *Variants {
	o := v.o
	o.As = as
	return (&Variants{o: o, cores: v.cores, tailing: v.tailing, evaluate: v.evaluate, hashes: v.hashes}).begin()
}

// begin makes the stages, which hold the states.
func (v *Variants) begin() *Variants {
	v.groups, v.whole = map[string]bool{}, make([]*memory.Chain, len(v.cores))
	if v.tailing == nil {
		return v
	}
	core, _ := v.cores[0]() // has been built
	v.head = memory.NewChain(v.before(core, cmp.Or(v.evaluate, core.Evaluate))...)
	for i, machine := range v.tailing {
		o := v.o.Options
		o.Rules = v.o.Rules[i]
		v.tails = append(v.tails, memory.NewChain(memory.NewBoundedStage(machine, o.Identity(), v.o.Bounds)))
	}
	return v
}

// Sharable reports whether rules differ in nothing but what only the dispatcher reads.
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

// chain returns the whole chain of a variant.
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

// before returns the stages before the dispatcher. What a recorded stage derived takes
// the place of the stages up to it.
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

// Begin marks the begin of another file.
func (v *Variants) Begin() {
	for _, chain := range v.chains() {
		chain.Begin()
	}
}

// chains are all that there are.
func (v *Variants) chains() (all []*memory.Chain) {
	for _, chain := range slices.Concat([]*memory.Chain{v.head}, v.tails, v.whole) {
		if chain != nil {
			all = append(all, chain)
		}
	}
	return all
}

// Feed folds a prepared event and returns what each variant decides.
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

// End returns what each variant decides at the end of all input. Only runs wait for other groups,
// and what is recorded holds their answers.
func (v *Variants) End() [][]events.Event {
	out := make([][]events.Event, len(v.whole))
	for i, chain := range v.whole {
		if chain != nil {
			out[i] = chain.End()
		}
	}
	return out
}

// shares reports whether the head folds the event. Runs have timers of their
// dispatcher, which come back as input, so only sessions without a run are shared.
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

// apart is an input as a whole chain reads it: of what is joined, what ingest wrote. It reports
// whether it is one.
func (v *Variants) apart(e events.Event) (events.Event, bool) {
	if v.o.From != Joined {
		return e, true
	}
	if recorded, is := e.Data.(*evaluate.Recorded); is {
		return recorded.Turn, true
	}
	return e, e.Source != step.Source(evaluate.StageName)
}

// From is the stage whose recorded events the variants read.
func (v *Variants) From() string { return v.o.From }

// alone reports whether an event is of a session without a run, which nothing but its
// own events decides.
func alone(e events.Event) bool { return e.Correlation == "" && e.Group() == e.Subject }

func (v *Variants) as(variant int, e events.Event) events.Event {
	if v.o.As == nil {
		return e
	}
	return v.o.As(variant, e)
}

// DeadLetters are the inputs that stages skipped.
func (v *Variants) DeadLetters() (out []memory.DeadLetter) {
	for _, chain := range v.chains() {
		out = append(out, chain.DeadLetters...)
	}
	return out
}

// recorded passes on what a stage has written. A timer that is recorded is not to
// expire a second time where the machines set it again.
type recorded struct{ expired map[string]bool }

// Name is not a stage's: timers that one set before it wrote are in the record.
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

package engine

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Rederived is the result of [Rederive].
type Rederived struct {
	Same   int         // events that were derived as they are recorded, byte for byte
	Groups int         // that were compared
	First  []Departure // the first difference of each group that has one, by group
	Other  []OtherRules
}

// Departure is where a group is derived differently for the first time.
type Departure struct {
	Difference
	Group string
	Cause string // id of the input that caused the event
	// Type is that of the recorded event, of the derived one if none is recorded. DerivedType
	// is set if another type is derived in its place. Was and Is are the two events' data,
	// empty for one that is missing.
	Type        string
	DerivedType string
	Was         []byte
	Is          []byte
	// State is what [StateBefore] returns, empty until it is asked.
	State string
}

// OtherRules counts groups that were recorded under other rules or another configuration
// than the replay has, so that a difference would prove nothing (EV-2).
type OtherRules struct {
	Rules, Config string
	Groups        int
}

// Rederive is [Replay] that does not stop at the first difference: it compares group by group
// and returns the first difference in each (AU-10). Observer may be nil.
func Rederive[S any](
	ctx context.Context, machine step.Machine[S], id step.Identity, recording Recording, observer Observer, o Options,
) (Rederived, error) {
	sink := &matching{recording: recording, id: id, logs: make([]*match, o.withDefaults().Partitions)}
	defer recording.Close()
	defer sink.stop()
	runner := &Runner[S]{Machine: machine, Identity: id, Source: recording, Sink: sink, Observer: observer, Options: o.withoutSnapshots()}
	if err := runner.Run(ctx); err != nil {
		return Rederived{}, err
	}
	if err := ctx.Err(); err != nil {
		return Rederived{}, err
	}
	return sink.result()
}

// matching is the sink of Rederive.
type matching struct {
	recording Recording
	id        step.Identity
	logs      []*match
}

func (c *matching) Open(ctx context.Context, partition int) (Log, error) {
	if c.logs[partition] != nil {
		return nil, &PermanentError{Err: fmt.Errorf("the recording of partition %d could not be read to its end", partition)}
	}
	next, stop := iter.Pull2(c.recording.Written(context.WithoutCancel(ctx), partition)) // its rest is read after the run
	c.logs[partition] = &match{
		comparison: comparison{recording: c.recording, partition: partition, next: next, stop: stop},
		id:         c.id,
		snapshots:  map[string]Snapshot{},
		waiting:    map[string][]Message{}, groups: map[string]*groupMatch{},
	}
	return c.logs[partition], nil
}

func (c *matching) stop() {
	for _, log := range c.logs {
		if log != nil {
			log.stop()
		}
	}
}

func (c *matching) result() (all Rederived, err error) {
	other := map[[2]string]int{}
	for _, log := range c.logs {
		if log == nil {
			continue
		}
		if err := log.rest(); err != nil {
			return all, err
		}
		all.Groups += len(log.groups)
		for group, g := range log.groups {
			all.Same += g.same
			switch {
			case g.other != nil:
				other[*g.other]++
			case g.first != nil:
				g.first.Group = group
				all.First = append(all.First, *g.first)
			}
		}
	}
	slices.SortFunc(all.First, func(a, b Departure) int { return strings.Compare(a.Group, b.Group) })
	for of, groups := range other {
		all.Other = append(all.Other, OtherRules{Rules: of[0], Config: of[1], Groups: groups})
	}
	slices.SortFunc(all.Other, func(a, b OtherRules) int { return strings.Compare(a.Rules+a.Config, b.Rules+b.Config) })
	return all, nil
}

// match is the log of one partition: it compares what is derived with the recorded
// events of the same group. It keeps the snapshots of states that do not fit in memory:
// without them each would be folded again from its first input.
type match struct {
	comparison
	id        step.Identity
	snapshots map[string]Snapshot
	waiting   map[string][]Message // recorded events that were read before their turn
	held      int
	groups    map[string]*groupMatch
}

// groupMatch is how far a group agrees.
type groupMatch struct {
	same  int
	first *Departure
	other *[2]string // the rules and configuration it was recorded under
}

func (g *groupMatch) ended() bool { return g.first != nil || g.other != nil }

// Snapshot implements [Log].
func (m *match) Snapshot(_ context.Context, group string) (*Snapshot, error) {
	if kept, found := m.snapshots[group]; found {
		return &kept, nil
	}
	return nil, nil
}

// Commit compares the batch with the recording.
func (m *match) Commit(_ context.Context, batch Batch) error {
	for _, snapshot := range batch.Snapshots {
		m.snapshots[snapshot.Group] = snapshot
	}
	for _, derived := range batch.Messages {
		g := m.group(derived)
		if g.ended() {
			continue
		}
		recorded, found, err := m.recorded(groupOf(derived.Subject))
		switch {
		case err != nil:
			return &PermanentError{Err: fmt.Errorf("read the recording: %w", err)}
		case !found:
			g.first = departure(m.missing(derived, "none", "an event"), derived, nil, derived.Data)
		default:
			m.settle(g, recorded, derived)
		}
	}
	return nil
}

func (m *match) group(of Message) *groupMatch {
	name := groupOf(of.Subject)
	if m.groups[name] == nil {
		m.groups[name] = &groupMatch{}
	}
	return m.groups[name]
}

// settle compares two events of a group.
func (m *match) settle(g *groupMatch, recorded, derived Message) {
	if identical(recorded, derived) {
		g.same++
		return
	}
	was, is := headers(recorded), headers(derived)
	if m.underOther(was, is) {
		g.other = &[2]string{was["ce-rulesversion"], was["ce-confighash"]}
		return
	}
	field, a, b := firstDifference(recorded, derived, was, is)
	if field == "" {
		g.same++
		return
	}
	g.first = departure(&Difference{
		Partition: m.partition, Index: g.same, ID: was["ce-id"], Field: field, Recorded: text.Short(a, maxValue), Derived: text.Short(b, maxValue),
	}, recorded, recorded.Data, derived.Data)
	if typ := is["ce-type"]; typ != was["ce-type"] {
		g.first.DerivedType = typ
	}
}

// underOther reports whether the recorded event has another identity than this replay.
// Forwarded events have none: one that is recorded where another type was derived is a
// difference.
func (m *match) underOther(was, is map[string]string) bool {
	recorded := step.Identity{RulesVersion: was["ce-rulesversion"], ConfigHash: was["ce-confighash"]}
	derived := step.Identity{RulesVersion: is["ce-rulesversion"], ConfigHash: is["ce-confighash"]}
	if was["ce-type"] == is["ce-type"] {
		return recorded != derived
	}
	return recorded != step.Identity{} && recorded != m.id
}

func departure(d *Difference, of Message, was, is []byte) *Departure {
	h := headers(of)
	cause := h["ce-causationid"]
	if cause == "" { // forwarded: it is the input
		cause = h["ce-id"]
	}
	return &Departure{Difference: *d, Cause: cause, Type: h["ce-type"], Was: was, Is: is}
}

// maxHeld bounds the recorded events that wait for their turn. Groups that agree are
// recorded in the order in which they are derived, so few do.
const maxHeld = 100_000

// recorded returns the next recorded event of a group.
func (m *match) recorded(group string) (message Message, found bool, err error) {
	if queue := m.waiting[group]; len(queue) > 0 {
		m.waiting[group] = queue[1:]
		m.held--
		return queue[0], true, nil
	}
	for m.held < maxHeld {
		message, err, more := m.next()
		if err != nil || !more {
			return Message{}, false, err
		}
		of := groupOf(message.Subject)
		if of == group {
			return message, true, nil
		}
		if !m.group(message).ended() {
			m.waiting[of] = append(m.waiting[of], message)
			m.held++
		}
	}
	return Message{}, false, nil
}

// rest reports recorded events that were not derived.
func (m *match) rest() error {
	for {
		message, err, more := m.next()
		if err != nil {
			return fmt.Errorf("read the recording: %w", err)
		}
		if !more {
			break
		}
		of := groupOf(message.Subject)
		m.waiting[of] = append(m.waiting[of][:min(1, len(m.waiting[of]))], message)
		m.group(message)
	}
	for of, queue := range m.waiting {
		if g := m.groups[of]; len(queue) > 0 && !g.ended() {
			g.first = departure(m.missing(queue[0], "an event", "none"), queue[0], queue[0].Data, nil)
		}
	}
	return nil
}

func groupOf(subject string) string {
	tokens := strings.Split(subject, ".")
	if len(tokens) < 2 {
		return ""
	}
	return tokens[len(tokens)-2]
}

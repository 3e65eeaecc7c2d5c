// Package pairs plays conversations in pairs: one in which a detector must speak, and one that differs
// little from it and in which nothing may be said. They were written from the kinds of mistakes that
// readers of real sessions found (issue 25), in words and languages that those sessions do not have, and
// before anyone looked at what the detectors do.
//
//	== E2 mark-put-back            detector, name; "(open)" after it: not cured; "(logged)": a line in the
//	                               log is enough, since the accusation rests on a reading (JD-2)
//	both                           turns of both, in the language of package scenario, without expectations
//	turn
//	user …
//	fires                          what must reach the agent
//	turn
//	…
//	twin                           what must not; "== quiet NAME" begins a conversation that is such a twin
//	turn
//	…
//
// "== done NAME" begins a pair about the ledger (JD-13): the claims of the last turn of its firing half are
// proven, none of its twin's is.
package pairs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/scenario"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Pair is a firing conversation and its harmless twin.
type Pair struct {
	Detector, Name string
	Open           bool // known not to hold
	Logged         bool // a signal that is only logged is enough
	fires, twin    string
}

// Load reads the pairs of a folder.
func Load(folder string) ([]Pair, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no pairs in %s", folder)
	}
	var out []Pair
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read the pairs: %w", err)
		}
		list, err := Parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, list...)
	}
	return out, nil
}

// In place of a detector, quiet begins a conversation about which nothing may be said, and done a pair about
// what proves a claim.
const (
	quiet = "quiet"
	done  = "done"
)

// Parse reads the pairs of a file.
func Parse(text string) ([]Pair, error) {
	var out []Pair
	for _, part := range strings.Split("\n"+text, "\n== ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		fields := strings.Fields(head)
		if len(fields) < 2 {
			return nil, fmt.Errorf("pair %q: want a detector and a name", head)
		}
		if fields[0] == quiet {
			out = append(out, Pair{Detector: quiet, Name: fields[1], Open: len(fields) > 2, twin: body})
			continue
		}
		before, twin, found := strings.Cut("\n"+body+"\n", "\ntwin\n")
		both, fires, begins := strings.Cut(before, "\nfires\n")
		both, opens := strings.CutPrefix(both, "\nboth\n")
		if !found || !begins || !opens {
			return nil, fmt.Errorf("pair %s: want the parts both, fires and twin", fields[1])
		}
		if both = "\n" + both; strings.ContainsAny(fields[0][:1], "CD") {
			both = afterPriming(both)
		}
		out = append(out, Pair{
			Detector: fields[0], Name: fields[1],
			Open: slices.Contains(fields[2:], "(open)"), Logged: slices.Contains(fields[2:], "(logged)"),
			fires: both + "\n" + fires, twin: both + "\n" + twin,
		})
	}
	return out, nil
}

// afterPriming lets the conversation go on after turn 3 (SW-41), after a request and three commands
// that say nothing about it.
func afterPriming(both string) string {
	at := strings.Index(both[1:], "\nturn\n") + 1
	if at == 0 {
		at = len(both)
	}
	return both[:at] + "\nturn\nshell mkdir -p out/a\nturn\nshell mkdir -p out/b\nturn\nshell mkdir -p out/c\n" + both[at:]
}

// goesOn are turns after a conversation, so that the last signal has its grace turn.
const goesOn = "\nturn\nshell mkdir -p out/y\nturn\nshell mkdir -p out/z\n"

// script returns a conversation with the separators that package scenario requires after each turn.
func script(conversation string) (*scenario.Script, error) {
	var b strings.Builder
	for i, turn := range strings.Split("\n"+strings.TrimSpace(conversation)+goesOn, "\nturn\n") {
		if i > 0 {
			fmt.Fprintf(&b, "turn\n%s\n%s\n\n", strings.TrimRight(turn, "\n"), scenario.Separator)
		}
	}
	return scenario.Parse(b.String())
}

// Said returns the interrupts that fired or were queued in a conversation, which ends with the session.
func Said(core *machines.Core, conversation string) ([]*sessionevents.Signal, error) {
	_, said, err := play(core, conversation)
	return said, err
}

// each calls a function with every event of a conversation, which ends with the session.
func each(core *machines.Core, conversation string, f func(events.Event)) error {
	s, err := script(conversation)
	if err != nil {
		return err
	}
	chain := core.Chain()
	_, inputs := s.Inputs()
	last := inputs[len(inputs)-1]
	inputs = append(inputs, events.Event{
		ID: "closed", Source: last.Source, Type: sessionevents.TypeSessionClosed, Subject: scenario.DefaultSession, Time: last.Time,
		Data: &sessionevents.SessionClosed{Session: scenario.DefaultSession},
	})
	for _, input := range inputs {
		prepared, err := publish.Prepare(input)
		if err != nil {
			return fmt.Errorf("prepare %s: %w", input.ID, err)
		}
		for _, e := range chain.Feed(prepared) {
			f(e)
		}
	}
	return nil
}

// play returns every signal of a conversation that is not suppressed, and those that were said.
func play(core *machines.Core, conversation string) (seen, said []*sessionevents.Signal, err error) {
	signals := map[string]*sessionevents.Signal{}
	err = each(core, conversation, func(e events.Event) {
		switch d := e.Data.(type) {
		case *sessionevents.Signal:
			if signals[d.ID] = d; d.Suppressed == "" {
				seen = append(seen, d)
			}
		case *sessionevents.InterruptFired:
			for _, id := range d.Signals {
				said = append(said, signals[id])
			}
		case *sessionevents.InterruptQueued:
			said = append(said, signals[d.Signal])
		}
	})
	return seen, said, err
}

// claims returns the claims of the last turn of a conversation.
func claims(core *machines.Core, conversation string) ([]sessionevents.Claim, error) {
	var out []sessionevents.Claim
	turn := strings.Count("\n"+strings.TrimSpace(conversation), "\nturn\n")
	err := each(core, conversation, func(e events.Event) {
		if d, is := e.Data.(*sessionevents.TurnEvaluated); is && d.Turn == turn && d.Ledger != nil {
			out = d.Ledger.Claims
		}
	})
	return out, err
}

// Verdict is what became of a pair.
type Verdict struct {
	Pair
	Unheard bool                    // the detector did not speak
	Said    []*sessionevents.Signal // what was said of the firing half
	Alarms  []*sessionevents.Signal // what was said of the twin
	// Unproven are claims that should be proven and are not, False those that are and should not.
	Unproven, False []sessionevents.Claim
}

// Holds reports whether both halves came out as they must.
func (v Verdict) Holds() bool { return !v.Unheard && len(v.Alarms)+len(v.Unproven)+len(v.False) == 0 }

// Judge plays both halves of a pair.
func Judge(core *machines.Core, p Pair) (Verdict, error) {
	v := Verdict{Pair: p, Unheard: p.Detector != quiet}
	if p.Detector == done {
		return v, v.proves(core)
	}
	if v.Unheard {
		if err := v.firing(core); err != nil {
			return v, err
		}
	}
	var err error
	if v.Alarms, err = Said(core, p.twin); err != nil {
		return v, fmt.Errorf("pair %s, twin: %w", p.Name, err)
	}
	return v, nil
}

// firing plays the half in which the detector must speak.
func (v *Verdict) firing(core *machines.Core) error {
	seen, said, err := play(core, v.fires)
	if err != nil {
		return fmt.Errorf("pair %s, firing: %w", v.Name, err)
	}
	if v.Said = said; !v.Logged {
		seen = said
	}
	for _, s := range seen {
		if strings.Contains(v.Detector, s.Detector) {
			v.Unheard = false
		}
	}
	return nil
}

// proves plays both halves of a pair about what proves a claim.
func (v *Verdict) proves(core *machines.Core) error {
	proven := func(c sessionevents.Claim) bool { return c.Verdict == sessionevents.Proven }
	made, err := claims(core, v.fires)
	if err != nil {
		return fmt.Errorf("pair %s, proven: %w", v.Name, err)
	}
	v.Unheard, v.Unproven = len(made) == 0, slices.DeleteFunc(made, proven)
	made, err = claims(core, v.twin)
	if err != nil {
		return fmt.Errorf("pair %s, twin: %w", v.Name, err)
	}
	v.False = slices.DeleteFunc(made, func(c sessionevents.Claim) bool { return !proven(c) })
	return nil
}

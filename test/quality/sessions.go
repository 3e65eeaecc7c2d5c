package main

import (
	"path/filepath"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/measure"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/moments"
)

// outcome is what became of all transcripts.
type outcome struct {
	files, turns int
	sessions     map[string]bool // file and session
	signals      []signalled
	fired        []fired
	recorder     *moments.Recorder
	weak         map[string]bool // sessions of a weak model that mostly failed
}

// signalled is a signal with the transcript it was found in and what became of it.
type signalled struct {
	file   string
	signal *sessionevents.Signal
	end    string // fired, logged, suppressed, unsent …
}

// fired is an interrupt with the signals it carries.
type fired struct {
	file      string
	interrupt *sessionevents.InterruptFired
	signals   []*sessionevents.Signal
}

// playTranscripts feeds every transcript through the chain, as `scan` does.
func playTranscripts(core *machines.Core, data string) (*outcome, error) {
	paths, err := measure.Transcripts(data)
	if err != nil {
		return nil, err
	}
	o := &outcome{sessions: map[string]bool{}, recorder: moments.NewRecorder(), weak: map[string]bool{}}
	for _, path := range paths {
		input, err := measure.ReadEvents(path)
		if err != nil {
			return nil, err
		}
		if len(input) > 0 {
			o.files++
		}
		if err := o.file(core, filepath.Base(path), input, measure.OfWeakModel(path)); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o *outcome) file(core *machines.Core, name string, input []events.Event, weak bool) error {
	chain := core.Chain()
	first := len(o.signals)
	at := map[string]int{} // signal id → its place in o.signals
	for _, e := range input {
		if turn, ok := e.Data.(*sessionevents.Turn); ok {
			o.turns++
			o.sessions[name+" "+turn.Session] = true
			if weak {
				o.weak[turn.Session] = true
			}
		}
		e, err := publish.Prepare(e)
		if err != nil {
			return err
		}
		for _, decided := range chain.Feed(e) {
			o.take(name, decided, at)
			o.recorder.Take(decided)
		}
	}
	for i := first; i < len(o.signals); i++ {
		if o.signals[i].end == "" {
			o.signals[i].end = "unsent" // the transcript ends before the session does
		}
	}
	return nil
}

func (o *outcome) take(name string, e events.Event, at map[string]int) {
	switch d := e.Data.(type) {
	case *sessionevents.Signal:
		at[d.ID] = len(o.signals)
		o.signals = append(o.signals, signalled{file: name, signal: d})
	case *sessionevents.Disposition:
		if i, ok := at[d.Signal]; ok {
			o.signals[i].end = string(e.Type[len("signal."):])
		}
	case *sessionevents.InterruptFired:
		f := fired{file: name, interrupt: d}
		for _, id := range d.Signals {
			if i, ok := at[id]; ok {
				o.signals[i].end = "fired"
				f.signals = append(f.signals, o.signals[i].signal)
			}
		}
		o.fired = append(o.fired, f)
	}
}

package measure

import (
	"fmt"
	"path/filepath"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/fingerprint"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment/grammars"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Evaluator plays transcripts through redaction, segmentation and evaluation.
type Evaluator struct {
	redactor  *redact.Redactor
	segmenter *segment.Segmenter
	machine   *evaluate.Machine
}

// Fired is a signal with the transcript it was found in.
type Fired struct {
	File   string
	Signal *sessionevents.Signal
}

// NewEvaluator makes an evaluator of these detectors and rules.
func NewEvaluator(list []*detect.Detector, set *rules.Set) (*Evaluator, error) {
	config, err := secrets.LoadConfig(set)
	if err != nil {
		return nil, err
	}
	scanner, err := secrets.New(config, []byte(fingerprint.ScanKey))
	if err != nil {
		return nil, err
	}
	e := &Evaluator{redactor: redact.New(scanner, config.PathKeys)}
	if e.segmenter, err = segment.New(set, grammars.Linked{}); err != nil {
		return nil, err
	}
	e.machine, err = evaluate.New(evaluate.Options{Detectors: list, Rules: set})
	return e, err
}

// File plays one transcript and returns its signals and the number of its turns.
func (e *Evaluator) File(path string) (fired []Fired, turns int, err error) {
	input, err := ReadEvents(path)
	if err != nil {
		return nil, 0, err
	}
	state, numbers := e.machine.New(""), map[string]int{}
	workspaces := map[string]string{}
	for _, ev := range input {
		switch data := ev.Data.(type) {
		case *sessionevents.SessionOpened:
			workspaces[data.Session] = data.Workspace
		case *sessionevents.Turn:
			if len(data.Native) > 0 {
				return nil, 0, fmt.Errorf("%s: a turn in native form", filepath.Base(path))
			}
			numbers[data.Session]++
			turns++
			redacted, found := e.redactor.Turn(*data)
			ev.Type = sessionevents.TypeTurnSegmented
			cut := e.segmenter.Cut(&redacted, numbers[data.Session], segment.Options{Workspace: workspaces[data.Session], Secrets: found})
			if data.Compacted || data.ForkOf != "" {
				cut.Continuity = &sessionevents.Continuity{Compacted: data.Compacted, Fork: data.ForkOf != "", ForkOf: data.ForkOf}
			}
			ev.Data = cut
		}
		out := step.NewEmitter(e.machine.Stage(), e.machine.Identity(), ev)
		if state, err = e.machine.Step(state, step.Input{Event: ev}, out); err != nil {
			return nil, turns, fmt.Errorf("evaluate %s: %w", filepath.Base(path), err)
		}
		for _, derived := range out.Events() {
			if signal, ok := derived.Data.(*sessionevents.Signal); ok {
				fired = append(fired, Fired{File: filepath.Base(path), Signal: signal})
			}
		}
	}
	return fired, turns, nil
}

// Package machines builds the three machines from rule data: those of a service, and
// all of them in a row without NATS, for `scan` and for tests.
package machines

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/all"
	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/fingerprint"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/dispatch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ingest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/userrules"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Options decide what the machines do.
type Options struct {
	Rules *rules.Set
	// FingerprintKey keys the fingerprints of secrets (SW-7); nil means
	// the documented key of `scan`.
	FingerprintKey []byte
	// IdleTimeout closes a silent session (DP-30); 0 never.
	IdleTimeout time.Duration
}

// Core is the three machines, built from one set of rules.
type Core struct {
	Identity step.Identity
	// Redactor cleans what is shown of an input outside of the machines (SW-7).
	Redactor *redact.Redactor
	Ingest   *ingest.Machine
	Evaluate *evaluate.Machine
	Dispatch *dispatch.Machine
	// Preflight answers harnesses that ask before a tool runs (DP-24).
	Preflight *preflight.Checker
}

// New builds the machines. Errors name the rule data's file and line.
func New(o Options) (*Core, error) {
	c := &Core{Identity: deployment.Identity(o.Rules, o.FingerprintKey)}
	redactor, err := newRedactor(o)
	if err != nil {
		return nil, err
	}
	c.Redactor = redactor
	cutter, err := newCutter(o.Rules)
	if err != nil {
		return nil, err
	}
	c.Ingest = ingest.New(ingest.Options{
		Identity: c.Identity, Redactor: redactor, Cutter: cutter, NativeBlocks: agents.Formats().NativeBlocks, ReadHook: agents.Hooks().Read, IdleTimeout: o.IdleTimeout,
	})
	if c.Evaluate, err = Evaluator(o); err != nil {
		return nil, err
	}
	if c.Dispatch, err = dispatch.New(o.Rules); err != nil {
		return nil, fmt.Errorf("start the dispatcher: %w", err)
	}
	if c.Preflight, err = preflight.New(preflight.Options{
		Rules: o.Rules, Redactor: redactor, Segmenter: cutter.Segmenter, Suite: c.Evaluate.Suite(),
	}); err != nil {
		return nil, fmt.Errorf("start the preflight: %w", err)
	}
	return c, nil
}

// Evaluator builds the machine of the evaluator alone.
func Evaluator(o Options) (*evaluate.Machine, error) {
	detectors, err := Detectors(o.Rules)
	if err != nil {
		return nil, err
	}
	machine, err := evaluate.New(evaluate.Options{
		Detectors: detectors, Rules: o.Rules, Identity: deployment.Identity(o.Rules, o.FingerprintKey),
	})
	if err != nil {
		return nil, fmt.Errorf("start the evaluator: %w", err)
	}
	return machine, nil
}

// Detectors are those that are built in, then the user's own of the section
// `userrules`.
func Detectors(set *rules.Set) ([]*detect.Detector, error) {
	own, err := userrules.Detectors(set)
	if err != nil {
		return nil, err
	}
	return append(all.Detectors(), own...), nil
}

// Chain is the machines in a row, without NATS.
func (c *Core) Chain() *memory.Chain {
	return memory.NewChain(
		memory.NewStage(c.Ingest, c.Identity),
		memory.NewStage(c.Evaluate, c.Identity),
		memory.NewStage(c.Dispatch, c.Identity))
}

func newRedactor(o Options) (*redact.Redactor, error) {
	config, err := secrets.LoadConfig(o.Rules)
	if err != nil {
		return nil, fmt.Errorf("load the secret rules: %w", err)
	}
	key := o.FingerprintKey
	if key == nil {
		key = []byte(fingerprint.ScanKey)
	}
	scanner, err := secrets.New(config, key)
	if err != nil {
		return nil, fmt.Errorf("start the secret scanner: %w", err)
	}
	return redact.New(scanner, config.PathKeys), nil
}

func newCutter(set *rules.Set) (segment.Cutter, error) {
	segmenter, err := segment.New(set, segment.Grammars{})
	if err != nil {
		return segment.Cutter{}, fmt.Errorf("start the segmenter: %w", err)
	}
	return segment.Cutter{Segmenter: segmenter}, nil
}

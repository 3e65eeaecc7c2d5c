// Package app puts the parts together: the machines from rule data, a service
// from a machine and a broker, the whole system in one process.
package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/all"
	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
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

// CoreOptions decide what the machines do.
type CoreOptions struct {
	Rules *rules.Set
	// FingerprintKey keys the fingerprints of secrets (SW-7); nil takes the
	// documented key of `scan`.
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

// NewCore builds the machines. Errors name the rule data's file and line.
func NewCore(o CoreOptions) (*Core, error) {
	if o.FingerprintKey == nil {
		o.FingerprintKey = []byte(secrets.ScanKey)
	}
	c := &Core{Identity: step.Identity{RulesVersion: rules.Version, ConfigHash: configHash(o)}}
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
	detectors, err := Detectors(o.Rules)
	if err != nil {
		return nil, err
	}
	if c.Evaluate, err = evaluate.New(evaluate.Options{Detectors: detectors, Rules: o.Rules, Identity: c.Identity}); err != nil {
		return nil, fmt.Errorf("start the evaluator: %w", err)
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

// LoadRules reads the embedded rule data with the overrides of a file; "" for none.
func LoadRules(path string) (*rules.Set, error) {
	if path == "" {
		return rules.Default(), nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the rules file: %w", err)
	}
	return rules.Load(path, data)
}

// LoadKey reads a key: "$NAME" from the environment, else the content of a file.
func LoadKey(setting string) ([]byte, error) {
	if setting == "" {
		return nil, nil
	}
	if name, ok := strings.CutPrefix(setting, "$"); ok {
		value := os.Getenv(name)
		if value == "" {
			return nil, fmt.Errorf("security.fingerprint_key names the variable %s, which is empty; set it or name a file", name)
		}
		return []byte(value), nil
	}
	data, err := os.ReadFile(setting)
	if err != nil {
		return nil, fmt.Errorf("read security.fingerprint_key: %w", err)
	}
	return []byte(strings.TrimSpace(string(data))), nil
}

// configHash identifies what decides the derived events beside the input: the
// rule data and the fingerprint key, of which only a hash shows (EV-2).
func configHash(o CoreOptions) string {
	key := sha256.Sum256(append([]byte("fingerprint key\x00"), o.FingerprintKey...))
	sum := sha256.Sum256([]byte(o.Rules.Hash() + hex.EncodeToString(key[:4])))
	return hex.EncodeToString(sum[:6])
}

func newRedactor(o CoreOptions) (*redact.Redactor, error) {
	config, err := secrets.LoadConfig(o.Rules)
	if err != nil {
		return nil, fmt.Errorf("load the secret rules: %w", err)
	}
	scanner, err := secrets.New(config, o.FingerprintKey)
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

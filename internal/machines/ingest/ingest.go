// Package ingest builds the machine that checks turns, replaces secrets and cuts
// segments, and the preflight that answers before a tool runs.
package ingest

import (
	"fmt"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	_ "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern/re2" // for long texts such as turns
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight/content"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment/grammars"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/ingest"
)

// Parts are the components of ingest.
type Parts struct {
	Machine  *ingest.Machine
	Redactor *redact.Redactor // also for what is shown outside the machines (SW-7)
	// Preflight answers harnesses that ask before a tool runs (DP-24).
	Preflight *preflight.Checker
}

// New builds the parts; the preflight uses the detectors of suite. Errors name the file
// and line of the rule data.
func New(o deployment.Options, suite *detect.Suite) (Parts, error) {
	p, segmenter, err := Folding(o)
	if err != nil {
		return p, err
	}
	examiner, err := content.New(o.Rules, p.Redactor, segmenter, suite)
	if err != nil {
		return p, fmt.Errorf("start the preflight: %w", err)
	}
	p.Preflight, err = preflight.New(preflight.Options{Rules: o.Rules, Redactor: p.Redactor, Segmenter: segmenter, Content: examiner})
	if err != nil {
		return p, fmt.Errorf("start the preflight: %w", err)
	}
	return p, nil
}

// Folding builds the parts that fold the input, without the preflight.
func Folding(o deployment.Options) (p Parts, segmenter *segment.Segmenter, err error) {
	if p.Redactor, err = Redactor(o); err != nil {
		return p, nil, err
	}
	if segmenter, err = segment.New(o.Rules, grammars.Linked{}); err != nil {
		return p, nil, fmt.Errorf("start the segmenter: %w", err)
	}
	p.Machine = ingest.New(ingest.Options{
		Identity: o.Identity(), Redactor: p.Redactor, Cutter: segment.Cutter{Segmenter: segmenter},
		NativeBlocks: agents.Formats().NativeBlocks, ReadHook: agents.Hooks().Read, IdleTimeout: o.IdleTimeout,
	})
	return p, segmenter, nil
}

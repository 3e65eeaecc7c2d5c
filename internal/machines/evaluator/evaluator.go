// Package evaluator builds the machine that runs the detectors.
package evaluator

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/all"
	_ "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern/re2" // for long texts such as turns
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/userrules"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// New builds the machine. Errors name the file and line of the rule data.
func New(o deployment.Options) (*evaluate.Machine, error) {
	detectors, err := Detectors(o.Rules)
	if err != nil {
		return nil, err
	}
	machine, err := evaluate.New(evaluate.Options{Detectors: detectors, Rules: o.Rules, Identity: o.Identity()})
	if err != nil {
		return nil, fmt.Errorf("start the evaluator: %w", err)
	}
	return machine, nil
}

// Detectors returns the built-in detectors, then the user's own of the section `userrules`.
func Detectors(set *rules.Set) ([]*detect.Detector, error) {
	own, err := userrules.Detectors(set)
	if err != nil {
		return nil, err
	}
	return append(all.Detectors(), own...), nil
}

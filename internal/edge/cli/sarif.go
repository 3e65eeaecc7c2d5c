package cli

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/evaluator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/userrules"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sarif"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// SARIFOptions returns SARIF options that describe the detectors enabled by a set of rules.
func SARIFOptions(set *rules.Set) (sarif.Options, error) {
	detectors, err := evaluator.Detectors(set)
	if err != nil {
		return sarif.Options{}, err
	}
	own, err := userrules.Detectors(set)
	if err != nil {
		return sarif.Options{}, err
	}
	settings, err := sessionreport.LoadSettings(set)
	if err != nil {
		return sarif.Options{}, err
	}
	o := sarif.Options{Version: buildinfo.Version()}
	for i, d := range detectors {
		about := settings.Detectors[d.ID]
		o.Rules = append(o.Rules, sarif.Rule{
			ID: d.ID, Name: d.Name, Title: d.Title, Doc: d.Doc, CWE: about.CWE, Severity: about.Severity,
			Own: i >= len(detectors)-len(own), // they come last
		})
	}
	return o, nil
}

package machines

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/evaluator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/ingest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// modes is the section that enables detectors. Only the suite reads it.
const modes = "detectors"

// together builds one evaluator for all variants, if their rules differ only in what the
// dispatcher and single detectors read: turns are then cut and registered once, and a
// detector runs again only where its own rules differ. It returns false if the rules
// differ in more.
func (v *Variants) together() (bool, error) {
	first, err := v.cores[0]()
	if err != nil {
		return false, err
	}
	others, err := v.others(first)
	if err != nil || len(others) == 0 {
		return false, err
	}
	if v.o.From == Joined {
		v.evaluate = first.Evaluate.Again(others)
	} else {
		v.evaluate = first.Evaluate.Beside(others)
	}
	return true, nil
}

// others returns the evaluators of the variants that differ from all earlier ones, and
// none if they cannot run beside the first.
func (v *Variants) others(first *Core) (others []evaluate.Other, err error) {
	general := map[string]bool{}
	if err := generalSections(v.o.Options, v.o.Rules[0], first, general); err != nil {
		return nil, err
	}
	hashes := []string{first.Identity.ConfigHash}
	for i, set := range v.o.Rules[1:] {
		core, err := v.cores[i+1]()
		if err != nil {
			return nil, err
		}
		known := slices.Contains(hashes, core.Identity.ConfigHash)
		hashes = append(hashes, core.Identity.ConfigHash)
		if known {
			continue
		}
		if err := generalSections(v.o.Options, set, core, general); err != nil {
			return nil, err
		}
		sections, err := sectionsThatDiffer(v.o.Rules[0], set)
		if err != nil {
			return nil, err
		}
		for section := range sections {
			owned := first.Evaluate.Suite().Owns(section) || core.Evaluate.Suite().Owns(section)
			if general[section] || !owned && section != modes && !slices.Contains(dispatching, section) {
				return nil, nil
			}
		}
		others = append(others, evaluate.Other{Machine: core.Evaluate, Differs: func(section string) bool { return sections[section] }})
	}
	v.hashes = hashes
	return others, nil
}

func sectionsThatDiffer(from, to *rules.Set) (map[string]bool, error) {
	differences, err := rules.Differences(from, to)
	sections := map[string]bool{}
	for _, d := range differences {
		sections[d.Section()] = true
	}
	return sections, err
}

// generalSections adds the sections that ingest, the registry, the ledger and everything
// else outside the detectors read.
func generalSections(o Options, set *rules.Set, core *Core, read map[string]bool) error {
	o.Rules = set.Watched(func(section string) { read[section] = true })
	if _, err := evaluator.Detectors(o.Rules); err != nil {
		return err
	}
	if _, err := evaluate.New(evaluate.Options{Rules: o.Rules, Identity: core.Identity}); err != nil {
		return err
	}
	_, _, err := ingest.Folding(o)
	return err
}

// anothers reports whether an event of the shared stages belongs to another variant. A
// turn that could not be evaluated is closed once for all of them.
func (v *Variants) anothers(variant int, e events.Event) bool {
	if closed, is := e.Data.(*sessionevents.TurnEvaluated); is && closed.Failed != "" {
		return false
	}
	return v.evaluate != nil && e.Source == step.Source(evaluate.StageName) && e.ConfigHash != v.hashes[variant]
}

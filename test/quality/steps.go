package main

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/stepshield"
)

// stepTexts prints what was said about the labelled steps.
type stepTexts struct{ table, listing string }

// playSteps plays the labelled trajectories; without them it says so.
func playSteps(core *machines.Core, data string) (stepTexts, error) {
	list, err := stepshield.Load(data)
	if stepshield.Missing(err) {
		return stepTexts{table: "\nNo labelled trajectories in this folder.\n"}, nil
	}
	if err != nil {
		return stepTexts{}, err
	}
	result, err := stepshield.Measure(core, list)
	if err != nil {
		return stepTexts{}, err
	}
	return stepTexts{table: result.Table(), listing: result.Listing()}, nil
}

// listSteps measures the labelled trajectories alone.
func listSteps(data, path string) error {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	if err != nil {
		return err
	}
	texts, err := playSteps(core, data)
	if err != nil {
		return err
	}
	fmt.Print(texts.table)
	return writeListing(data, path, texts.listing)
}

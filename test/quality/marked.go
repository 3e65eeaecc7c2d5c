package main

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/weakness"
)

// playMarked plays the marked lines of the analysers' tests that the folder holds.
func playMarked(core *machines.Core, data string) (*weakness.Result, error) {
	list, err := weakness.Load(data)
	if err != nil {
		return nil, err
	}
	return weakness.Measure(core, list, written)
}

// listMarked measures them alone.
func listMarked(data, path string) error {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	if err != nil {
		return err
	}
	result, err := playMarked(core, data)
	if err != nil {
		return err
	}
	fmt.Print(result.Table())
	return writeListing(data, path, result.Listing())
}

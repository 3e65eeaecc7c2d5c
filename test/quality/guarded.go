package main

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/commands"
)

// listCommands measures the guard alone, and writes what it judges otherwise to a file.
func listCommands(data, path string) error {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	if err != nil {
		return err
	}
	result, err := commands.Measure(core.Preflight, data)
	if err != nil {
		return err
	}
	fmt.Print(result.Table())
	return writeListing(data, path, strings.Join(result.Differences, "\n")+"\n")
}

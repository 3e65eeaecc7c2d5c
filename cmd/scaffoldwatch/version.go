package main

import (
	"fmt"
	"runtime/debug"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

type versionCommand struct{}

// Run prints the build's version and the version of its rule data.
func (versionCommand) Run(r *run) error {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	_, err := fmt.Fprintf(r.out, "scaffoldwatch %s, rules %s\n", version, rules.Version)
	return err
}

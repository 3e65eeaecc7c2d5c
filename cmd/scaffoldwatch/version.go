package main

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

type versionCommand struct{}

// Run prints the build's version and the version of its rule data.
func (versionCommand) Run(r *cli.Call) error {
	_, err := fmt.Fprintf(r.Stdout, "scaffoldwatch %s, rules %s\n", buildinfo.Version(), rules.Version)
	return err
}

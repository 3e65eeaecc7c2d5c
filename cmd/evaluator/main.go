// Command evaluator keeps what each session did and runs the detectors: SEGMENTS → SIGNALS.
package main

import (
	"os"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
)

func main() {
	os.Exit(app.ServiceMain("evaluator", os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

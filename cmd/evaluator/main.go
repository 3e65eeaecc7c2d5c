// Command evaluator tracks what each session did and runs the detectors: SEGMENTS → SIGNALS.
package main

import (
	"os"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/evaluator"
)

func main() {
	os.Exit(service.Main(evaluator.Service, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// Command ingest checks and numbers turns, redacts secrets and splits turns into segments: INPUT →
// SEGMENTS.
package main

import (
	"os"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/ingest"
)

func main() {
	os.Exit(service.Main(ingest.Service, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

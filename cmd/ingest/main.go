// Command ingest checks and numbers turns, replaces secrets and cuts turns into segments:
// INPUT → SEGMENTS.
package main

import (
	"os"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
)

func main() {
	os.Exit(app.ServiceMain("ingest", os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

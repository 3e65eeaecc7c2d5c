// Command dispatcher owns the interrupt budget and decides what is said, and when:
// SIGNALS → DECISIONS.
package main

import (
	"os"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
)

func main() {
	os.Exit(app.ServiceMain("dispatcher", os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// Command dispatcher owns the interrupt budget and decides what is said, and when: SIGNALS → DECISIONS.
package main

import (
	"os"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/dispatcher"
)

func main() {
	os.Exit(service.Main(dispatcher.Service, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

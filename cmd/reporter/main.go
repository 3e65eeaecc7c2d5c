// Command reporter serves lists, reports and the live feed over HTTP, from DECISIONS, and
// notifies people.
package main

import (
	"os"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/reporter"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
)

func main() {
	os.Exit(service.Main(reporter.Service, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

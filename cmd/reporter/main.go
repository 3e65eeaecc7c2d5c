// Command reporter tells people: lists, reports and the live feed over HTTP, from DECISIONS.
package main

import (
	"os"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
)

func main() {
	os.Exit(app.ServiceMain("reporter", os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// Package ruletrace measures which rules of the specification a scenario executes.
//
// A function that implements a rule cites it in its doc comment. Overlay writes
// copies of such functions that report their rules, for `go test -overlay`; the
// repository's own code knows nothing of it. Players of scenarios call Scenario,
// which does nothing unless a measurement is under way.
package ruletrace

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Directory is the environment variable that names the directory of traces.
const Directory = "SCAFFOLDWATCH_RULETRACE"

var (
	mutex sync.Mutex
	ran   = map[string]bool{}
)

// Ran records rules that were executed. Instrumented functions call it.
func Ran(rules ...string) {
	mutex.Lock()
	defer mutex.Unlock()
	for _, rule := range rules {
		ran[rule] = true
	}
}

// Scenario begins a scenario and returns a function that ends it and writes its
// trace. Scenarios of one process must not run at the same time.
func Scenario(file string) (end func() error) {
	directory := os.Getenv(Directory)
	if directory == "" {
		return func() error { return nil }
	}
	mutex.Lock()
	clear(ran)
	mutex.Unlock()
	return func() error {
		mutex.Lock()
		defer mutex.Unlock()
		path, err := filepath.Abs(file)
		if err != nil {
			return fmt.Errorf("place the scenario: %w", err)
		}
		text := path + "\n" + strings.Join(slices.Sorted(maps.Keys(ran)), "\n") + "\n"
		out, err := os.CreateTemp(directory, "trace-*")
		if err != nil {
			return fmt.Errorf("write a trace: %w", err)
		}
		if _, err := out.WriteString(text); err != nil {
			return fmt.Errorf("write a trace: %w", err)
		}
		return out.Close()
	}
}

// Read returns the rules that each scenario executed, by absolute path.
func Read(directory string) (map[string][]string, error) {
	paths, err := filepath.Glob(filepath.Join(directory, "trace-*"))
	if err != nil {
		return nil, fmt.Errorf("list traces: %w", err)
	}
	out := map[string][]string{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read a trace: %w", err)
		}
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		out[lines[0]] = lines[1:]
	}
	return out, nil
}

// Package proofs decides how long the tests run: `go test`, `make test` and CI run each
// proof in a short form, `make proofs` runs all of them in full.
package proofs

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// variable selects the full form if it is "full".
const variable = "TEST_PROOFS"

// Full reports whether the proofs run in full. It panics if the variable holds anything but "", "short" or
// "full": a misspelled request must not pass unnoticed.
func Full() bool {
	switch text := os.Getenv(variable); text {
	case "", "short":
		return false
	case "full":
		return true
	default:
		panic(fmt.Sprintf("%s=%q: it must be short or full", variable, text))
	}
}

// Size returns full where the proofs run in full, and short otherwise.
func Size[T any](short, full T) T {
	if Full() {
		return full
	}
	return short
}

// NeedsFull skips a test, or a part of it, that runs only in full. It says why.
func NeedsFull(t *testing.T, why string) {
	t.Helper()
	if !Full() {
		t.Skipf("%s; it runs with %s=full (make proofs)", why, variable)
	}
}

// Check is rapid.Check with the given number of cases, or rapid's own (100, or -rapid.checks) if the proofs
// run in full.
func Check(t *testing.T, short int, property func(*rapid.T)) {
	t.Helper()
	if checks := flag.Lookup("rapid.checks"); !Full() && checks.Value.String() == checks.DefValue {
		set(t, checks.Value, strconv.Itoa(short))
		defer set(t, checks.Value, checks.DefValue)
	}
	rapid.Check(t, property)
}

func set(t *testing.T, value flag.Value, text string) {
	t.Helper()
	if err := value.Set(text); err != nil {
		t.Fatalf("-rapid.checks=%s: %v", text, err)
	}
}

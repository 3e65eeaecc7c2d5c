package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What packages may allocate before main, in every command: a hook that an agent waits for, too. Most
// of it is one library's, which checks contracts.
const (
	mostAllocations = 40_000
	mostBytes       = 4_200_000
)

// initialised is one package's line of GODEBUG=inittrace=1.
var initialised = regexp.MustCompile(`(?m)^init (\S+) @.* clock, (\d+) bytes, (\d+) allocs$`)

// A start is bounded by what is allocated before main, whatever machine it runs on, and nothing is
// collected in it.
func TestLittleIsAllocatedBeforeMain(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	var trace strings.Builder
	version := exec.CommandContext(t.Context(), program, "version")
	version.Args[0] = "scaffoldwatch"
	version.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GO") })
	version.Env = append(version.Env, "GODEBUG=inittrace=1,gctrace=1")
	version.Stderr = &trace
	require.NoError(t, version.Run())

	type cost struct {
		name          string
		bytes, allocs int
	}
	var packages []cost
	total := cost{}
	for _, found := range initialised.FindAllStringSubmatch(trace.String(), -1) {
		bytes, _ := strconv.Atoi(found[2])
		allocs, _ := strconv.Atoi(found[3])
		packages = append(packages, cost{found[1], bytes, allocs})
		total.bytes, total.allocs = total.bytes+bytes, total.allocs+allocs
	}
	slices.SortFunc(packages, func(a, b cost) int { return cmp.Compare(b.allocs, a.allocs) })
	require.Greater(t, len(packages), 100)
	dearest := fmt.Sprintf("%d allocations, %d bytes; most by %v", total.allocs, total.bytes, packages[:5])
	require.LessOrEqual(t, total.allocs, mostAllocations, dearest)
	require.LessOrEqual(t, total.bytes, mostBytes, dearest)
	require.NotContains(t, trace.String(), "gc 1 @", "package heap is to be initialised before the libraries that allocate")
}

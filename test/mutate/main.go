// Command mutate measures how much of the core's deciders its tests pin down. It
// changes one place of a package at a time, without writing to it, runs the tests
// and reports the changes that no test noticed.
//
//	go run ./test/mutate -n 60 ./internal/control ./internal/session/budget=./internal/engine/memory
//
// Tests of other packages count for a package where they follow it after "=",
// separated by commas. It exits with 1 if a package scores below -least.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	number  int
	seed    uint64
	workers int
	tags    string
	timeout time.Duration
	least   int
}

func main() {
	var o options
	flag.IntVar(&o.number, "n", 0, "how many mutants of each package to try, 0 for all")
	flag.Uint64Var(&o.seed, "seed", 1, "chooses them")
	flag.IntVar(&o.workers, "workers", 2, "how many at once")
	flag.StringVar(&o.tags, "tags", "gore2regex", "build tags")
	flag.DurationVar(&o.timeout, "timeout", time.Minute, "for the tests of one mutant")
	flag.IntVar(&o.least, "least", 0, "the score in percent that each package must reach")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code, err := run(ctx, o, flag.Args(), os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
	}
	os.Exit(code)
}

// run scores the packages and returns the exit code.
func run(ctx context.Context, o options, packages []string, out io.Writer) (int, error) {
	code := 0
	for _, spec := range packages {
		folder, others, _ := strings.Cut(spec, "=")
		all, err := mutants(folder)
		if err != nil {
			return 1, err
		}
		tests := append([]string{folder}, strings.FieldsFunc(others, func(r rune) bool { return r == ',' })...)
		results, err := try(ctx, o, tests, sample(all, o.number, o.seed))
		if err != nil {
			return 1, err
		}
		if score := report(out, folder, len(all), results); score < o.least {
			code = 1
		}
	}
	return code, nil
}

// sample chooses n of the mutants, all for 0, in their order.
func sample(all []mutant, n int, seed uint64) []mutant {
	if n <= 0 || n >= len(all) {
		return all
	}
	chosen := rand.New(rand.NewPCG(seed, 0)).Perm(len(all))[:n]
	slices.Sort(chosen)
	out := make([]mutant, n)
	for i, at := range chosen {
		out[i] = all[at]
	}
	return out
}

// report prints the survivors and the score of a package, which it returns.
func report(out io.Writer, folder string, all int, results []result) int {
	count := map[outcome]int{}
	for _, r := range results {
		if count[r.outcome]++; r.outcome == survived {
			fmt.Fprintf(out, "%s:%d: %s\n\t- %s\n\t+ %s\n", r.file, r.line, r.kind, r.before(), r.after())
		}
	}
	tried := count[killed] + count[survived]
	score := 100
	if tried > 0 {
		score = 100 * count[killed] / tried
	}
	fmt.Fprintf(out, "%s: %d%% (%d of %d killed; %d do not compile; %d of %d mutants tried)\n",
		folder, score, count[killed], tried, count[unviable], len(results), all)
	return score
}

// Command bench measures the product, each figure beside a baseline of the same
// run, so that a ratio is reported and never a bare time.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/heap"
)

// parts are the measurements by letter, in order.
var parts = []struct {
	letter, title string
	run           func(context.Context, scale) error
}{
	{"c", "core only: ingest, evaluator and dispatcher without NATS", coreOnly},
	{"d", "state and cost as a session grows", growth},
	{"f", "long files: B1, B2 and B3, beside telling comments from code", longFiles},
	{"a", "throughput through JetStream, beside a bare three-hop chain", throughput},
	{"b", "latency from raw turn to interrupt at 200 turns/s", latency},
	{"k", "many live sessions", liveSessions},
	{"e", "replay", replay},
	{"v", "audit: verify and replay, beside reading that looks at nothing", audits},
	{"w", "backtest: other rules, beside plain reading", backtests},
	{"g", "gates: from the request to gate.decided", gates},
	{"h", "what agents wait for their hooks", hookCalls},
	{"m", "memory of a whole system while 500 sessions grow", soak},
	{"p", "the page in Chromium with 5,000 sessions, beside a page of one line", pages},
	{"r", "from kill -9 to the next interrupt", restarts},
	{"s", "starts of whole processes", starts},
}

// scale shortens a run.
type scale struct{ divide int }

func (s scale) of(n int) int { return max(n/s.divide, 1) }

func main() {
	heap.Usual() // as in services; parts that measure a command do as it does
	only := flag.String("only", "", "letters of the parts to run, all by default: "+letters())
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	short := flag.Bool("short", false, "a tenth of the work")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *profile != "" {
		file, err := os.Create(*profile)
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		defer pprof.StopCPUProfile()
	}
	s := scale{1}
	if *short {
		s.divide = 10
	}
	fmt.Printf("%s, %d cores, %s, syntax %s\n", runtime.Version(), runtime.NumCPU(), secrets.Engine(), syntax.Tier())
	for _, p := range parts {
		if *only != "" && !strings.Contains(*only, p.letter) {
			continue
		}
		fmt.Printf("\n(%s) %s\n", p.letter, p.title)
		if err := p.run(ctx, s); err != nil {
			fmt.Fprintf(os.Stderr, "bench: (%s): %v\n", p.letter, err)
			os.Exit(1)
		}
	}
}

func letters() string {
	var all []string
	for _, p := range parts {
		all = append(all, p.letter)
	}
	return strings.Join(all, ", ")
}

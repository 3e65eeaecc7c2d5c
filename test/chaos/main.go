// Command chaos proves exactly-once the hard way: two racing instances of every
// service in child processes, a tenth of the input published twice, kill -9 of
// anything at random, the broker included, while runs break. At the end every
// derived event must equal the pure model's, event for event, no run has broken
// twice for one trigger, CONTROL agrees with DECISIONS, the audit chain must
// verify, and every stage must replay byte for byte.
//
// With -cluster the broker is three servers, every stream holds more than a full block,
// and beside kills there are pauses, lost quorums, all servers killed at once (under load,
// without a quorum, after idleness), a full disk of one server (as root on Linux), services
// replaced by another build (-other), and publishers that are killed in the middle and send
// their last events again. -compress brings the streams' compression back, as another
// negative control (ADR 18).
//
// With -advisor a model gives opinions meanwhile, and the pure model is fed what was recorded.
//
// With -no-fence it does the same through a proxy that removes the fence from every
// commit, as the negative control: that run must fail, which -expect-differences
// turns into success.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// plan is the plan of one run.
type plan struct {
	kills    int
	seed     uint64
	sessions int
	turns    int
	runs     int
	every    time.Duration
	noFence  bool
	expect   bool
	limit    time.Duration
	cluster  bool
	fill     int    // bytes
	compress bool   // streams with replicas, too
	other    string // path of another build of this program
	verbose  bool
	advisor  bool // a mock model returns opinions between the kills
	ready    bool // services must not be ready while no write is accepted
}

// attempt returns the limit of one attempt to publish: a cluster commits on two servers, and each attempt
// that is given up too early may be stored twice.
func (p plan) attempt() time.Duration {
	if p.cluster {
		return 3 * time.Second
	}
	return 500 * time.Millisecond
}

// arguments returns the flags with which another process derives the same work.
func (p plan) arguments() []string {
	return []string{
		"-kills", fmt.Sprint(p.kills), "-seed", fmt.Sprint(p.seed), "-sessions", fmt.Sprint(p.sessions), "-turns", fmt.Sprint(p.turns),
		"-runs", fmt.Sprint(p.runs), "-every", p.every.String(), "-fill", fmt.Sprint(p.fill),
	}
}

func main() {
	var p plan
	role := flag.String("role", "", "what a child process is: broker, node, publisher, ingest, evaluator, dispatcher or reporter")
	var m member
	flag.IntVar(&m.index, "index", 0, "which node or publisher a child is")
	flag.StringVar(&m.peers, "peers", "", "where the nodes of a cluster find each other")
	flag.StringVar(&m.http, "http", "", "where a service answers /readyz")
	at := flag.String("url", "", "where a child finds the broker")
	directory := flag.String("data", "", "the broker's directory")
	flag.IntVar(&p.kills, "kills", 20, "processes killed with -9")
	flag.Uint64Var(&p.seed, "seed", uint64(time.Now().UnixNano()%1e6), "of the workload and the kills")
	flag.IntVar(&p.sessions, "sessions", 24, "sessions published")
	flag.IntVar(&p.turns, "turns", 0, "turns of a session; 0: enough to last through the kills")
	flag.IntVar(&p.runs, "runs", workload.Dysfunctions(), "runs with something wrong in them published, a dysfunction each in turn")
	flag.DurationVar(&p.every, "every", 350*time.Millisecond, "mean time between two kills")
	flag.BoolVar(&p.noFence, "no-fence", false, "remove the fence from commits (negative control)")
	flag.BoolVar(&p.expect, "expect-differences", false, "succeed if and only if something is wrong")
	flag.BoolVar(&p.cluster, "cluster", false, "three nodes, two instances of each service, publishers that are killed, too")
	flag.DurationVar(&p.limit, "limit", 20*time.Minute, "the run fails after this long")
	flag.IntVar(&p.fill, "fill", 12<<20, "bytes that each stream of a cluster holds before the first upheaval: more than a full block of 8 MiB")
	flag.BoolVar(&p.compress, "compress", false, "compress the streams of a cluster (negative control)")
	flag.StringVar(&p.other, "other", "", "another build of this program: services of a cluster are replaced by it and back, one at a time")
	flag.BoolVar(&p.ready, "readiness", true, "services of a cluster must not be ready while no write is accepted")
	flag.BoolVar(&p.advisor, "advisor", false, "an advisor whose model lies, floods, fails and is silent, and which is killed like the rest")
	flag.BoolVar(&p.verbose, "v", false, "print each upheaval of a cluster")
	flag.Parse()
	if !p.cluster {
		p.fill = 0
	}
	if p.cluster {
		replicas = nodes
	}
	if *role != "" {
		m.urls = *at
		os.Exit(child(*role, *directory, m, p))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	if p.turns == 0 {
		p.turns = 12 + p.kills
	}
	play := run
	if p.cluster {
		play = runCluster
	}
	wrong, err := play(ctx, p)
	switch {
	case err != nil && (!p.expect || wrong == 0): // a stream without a leader cannot even be compared
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	case p.compress && err != nil && !errors.Is(err, errLeaderless):
		fmt.Println("chaos: FAILED: it ended for another reason than compression:", err)
		os.Exit(1)
	case p.expect && wrong == 0:
		fmt.Println("chaos: FAILED: nothing went wrong, so this run proves nothing")
		os.Exit(1)
	case !p.expect && wrong > 0:
		fmt.Println("chaos: FAILED")
		os.Exit(1)
	case p.expect:
		fmt.Println("chaos: ok, it fails, as it must:", cmp.Or(err, errors.New("events differ")))
	default:
		fmt.Println("chaos: ok")
	}
}

// run plays one plan and returns the number of errors found.
func run(ctx context.Context, p plan) (int, error) {
	directory, err := os.MkdirTemp("", "scaffoldwatch-chaos-")
	if err != nil {
		return 0, fmt.Errorf("make a directory: %w", err)
	}
	defer os.RemoveAll(directory)
	work := makeWork(p)

	fleet, err := startFleet(directory, p)
	if err != nil {
		return 0, err
	}
	defer fleet.stop()
	began := time.Now()
	published := make(chan error, 1)
	go func() { published <- publish(ctx, fleet.url, work, p) }()
	if err := fleet.killAtRandom(ctx, p); err != nil {
		return 0, err
	}
	if err := <-published; err != nil {
		return 0, err
	}
	fmt.Printf("chaos: seed %d, %d sessions of %d turns and %d sick runs published in %s, kills: %s\n", p.seed, p.sessions, p.turns, len(work.runs), time.Since(began).Round(time.Second), fleet.tally())
	fleet.retire("advisor") // so that its opinions come to an end
	return compare(ctx, fleet.url, work, p)
}

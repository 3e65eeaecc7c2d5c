package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

// readinessGrace is how long after the loss of a quorum a service may still call itself
// ready: it looks at its streams every 5 seconds, waits as long for a write to be accepted,
// and here shares two processors with everything else.
const readinessGrace = 30 * time.Second

// loseQuorumLong stops two of three servers until every service reports that it is not ready because no write
// is accepted.
func loseQuorumLong(c *cluster, random *rand.Rand) (string, error) {
	if !c.watch {
		return loseQuorum(c, random)
	}
	two := c.two(random)
	killAll(two)
	began := time.Now()
	ready := c.services
	for len(ready) > 0 && time.Since(began) < readinessGrace {
		time.Sleep(200 * time.Millisecond)
		ready = slices.DeleteFunc(slices.Clone(ready), func(p *process) bool { return !p.ready() })
	}
	what := "all services said so"
	if len(ready) > 0 {
		var roles []string
		for _, p := range ready {
			roles = append(roles, p.role)
		}
		c.claimed++
		what = "claimed to be ready"
		fmt.Printf("chaos: no write was accepted for %s, and /readyz of %s is 200\n", readinessGrace, strings.Join(roles, ", "))
	} else {
		c.slowest = max(c.slowest, time.Since(began))
	}
	return what, c.startAll(two)
}

// ready reports whether /readyz of a service answers 200.
func (p *process) ready() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.http+"/readyz", http.NoBody)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// awaitReady waits until every service is ready again.
func (c *cluster) awaitReady(ctx context.Context) error {
	return c.await(ctx, func() bool {
		return !slices.ContainsFunc(c.services, func(p *process) bool { return !p.ready() })
	})
}

package fleet

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// everyStyle plays each run in each style; without it, in one after the other.
var everyStyle = flag.Bool("every-style", false, "play each run of the fleet in each style")

// seeds of the fleets that are played in other styles in full; one of them has every
// dysfunction once.
const seeds = 20

// In whatever style an orchestrator reports, clean twins stay silent; and styles that leave nothing out yield
// the same dysfunctions.
func TestStylesOfOrchestrators(t *testing.T) {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	for at, style := range workload.Styles {
		t.Run(style.Name, func(t *testing.T) {
			for seed := range proofs.Size[uint64](1, seeds) {
				for i, pair := range workload.Fleet(100+seed, workload.Dysfunctions()) {
					if !*everyStyle && (i+int(seed))%len(workload.Styles) != at {
						continue
					}
					told := []workload.Case{pair.Clean.In(style, seed)}
					if style.Faithful && !pair.Sick.Offline {
						told = append(told, pair.Sick.In(style, seed))
					}
					for _, c := range told {
						chain := core.Chain()
						_, decided := Play(chain, c, true)
						require.Empty(t, chain.DeadLetters, c.Name)
						for _, wrong := range Judge(c, decided, true) {
							t.Errorf("seed %d, pair %d: %s", seed, i, wrong)
						}
					}
				}
			}
		})
	}
}

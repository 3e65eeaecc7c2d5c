package duplicate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// A new symbol against a full registry and a codebase index of 100,000 symbols.
func BenchmarkCandidates(b *testing.B) {
	m := measure(b)
	config, err := registry.Load(rules.Default())
	require.NoError(b, err)
	verbs := []string{"get", "load", "save", "parse", "format", "send", "check", "build", "sync", "merge"}
	nouns := []string{"User", "Order", "Price", "Report", "Config", "Cart", "Token", "Row", "Mail", "Page", "Invoice", "Customer"}
	name := func(i int) string {
		return verbs[i%10] + nouns[i/10%12] + nouns[i/120%12] + fmt.Sprintf("Part%d", i/1440)
	}
	var symbols []sessionevents.Symbol
	for i := range 100_000 {
		symbols = append(symbols, sessionevents.Symbol{Name: name(i), Kind: "function", Path: fmt.Sprintf("src/m%d.ts", i/20), Language: "typescript", Signature: "(id: string)"})
	}
	r := registry.New(config)
	r.Open(&sessionevents.SessionOpened{Session: "s", Codebase: &sessionevents.Codebase{Symbols: symbols}})
	for n := range 300 {
		s := symbols[n*7]
		s.Path = fmt.Sprintf("new/n%d.ts", n/5)
		r.Commit(r.Digest(built("s", n+1, s)))
	}
	p := &detect.Pass{Turn: &sessionevents.TurnSegmented{Session: "s", Turn: 301}, Before: r, Additions: &registry.Turn{}}
	n := 0
	for b.Loop() {
		s := symbols[n%len(symbols)]
		s.Path = "new/x.ts"
		m.Candidates(p, &s)
		n += 977
	}
}

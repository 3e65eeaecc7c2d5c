// Package registry is the context registry: what the primary has read, built,
// decided and been asked, folded turn by turn with bounds (SW-10 … SW-14).
package registry

// Registry is one session's context registry.
type Registry struct {
	Baseline Baseline
	Counters Counters
}

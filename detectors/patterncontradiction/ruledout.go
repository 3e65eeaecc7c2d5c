package patterncontradiction

import "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"

// ruledOut is the first rule that forbids something, and the target that it is; nil where
// none does.
func (t *turn) ruledOut(is func(target) bool) (*rule, target) {
	for _, r := range t.rulebook() {
		for _, of := range r.targets {
			if r.kind == forbids && is(of) {
				return r, of
			}
		}
	}
	return nil, target{}
}

// only is the target that is one library or program.
func only(m *families.Member) func(target) bool {
	return func(of target) bool { return of.member == m }
}

// advice names what to use instead, where a rule says it.
func (t *turn) advice(r *rule, otherwise string) string {
	if r.established == "" {
		return otherwise
	}
	return "Use " + t.named(r.established) + "."
}

package patterncontradiction

import (
	"fmt"
	"path"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
)

// bypasses judges what an edit begins to use: against declared rules, against
// recorded decisions, against what the files read agree on.
func (t *turn) bypasses(e *edit) {
	if e.text == "" {
		return
	}
	declared := map[string]bool{} // things a rule has spoken of
	for _, r := range t.rulebook() {
		if r.kind == forbids {
			t.againstRule(e, r, declared)
		}
	}
	if e.rewritten {
		return
	}
	for _, module := range e.segment.Imports {
		for _, m := range t.libraries.Imported(e.ecosystem, module) {
			if !declared[m.Spoken()] && !t.againstDecision(e, m, module) {
				t.againstInferred(e, m, module)
			}
		}
	}
	t.againstStanding(e, declared)
	if !e.exempt {
		t.rawCalls(e, declared)
	}
}

// againstRule reports the first thing an edit uses that a rule forbids. Code in the wrapper itself
// does not bypass it.
func (t *turn) againstRule(e *edit, r *rule, declared map[string]bool) {
	for _, of := range r.targets {
		if declared[of.name()] || t.outOfReach(e, r, of) {
			continue
		}
		offset, length := t.uses(e, of)
		if length == 0 || t.usedBefore(e, of) {
			continue
		}
		declared[of.name()] = true
		evidence := detect.At(e.segment, offset, length)
		evidence.ConflictsWith = r.earlier()
		c := contradiction{
			rule: r.text, subclass: r.subclass(of), thing: of.name(), established: r.established, cost: r.cost(of), confidence: t.Confidence.Declared,
			known: t.knows(r.established), evidence: evidence,
			logOnly: r.origin == fromUser && (r.stale && r.wrapper || e.exempt && !of.inTests()) || r.local &&
				of.member == nil && of.choice == nil && of.module == "",
			reason: fmt.Sprintf("%s uses %s, but %s.", quote.Path(e.file), quote.Name(of.name()), t.states(r)),
		}
		if r.established != "" {
			c.message = fmt.Sprintf("%s uses %s, but %s. Use %s there.", at(&evidence), quote.Name(of.name()), t.says(r),
				t.named(r.established))
		} else {
			c.message = fmt.Sprintf("%s uses %s, but %s. Take it out, or ask first.", at(&evidence),
				quote.Name(of.name()), t.says(r))
		}
		t.report(c)
		return
	}
}

// outOfReach reports whether a rule does not hold in a file: the wrapper's own
// module, and, unless the user forbade the thing outright, tests and scripts.
func (t *turn) outOfReach(e *edit, r *rule, of target) bool {
	if r.established != "" && r.wrapper && isWrapper(e.file, r.established) || !r.holdsIn(e.file) {
		return true
	}
	if of.member != nil && of.member.Family().InTests {
		return false
	}
	return e.exempt && !r.holdsInTests(of) || t.isScratch(e.file)
}

// holdsInTests reports whether a rule holds in tests and scripts as well: a person, or an instruction
// file, forbade the library itself.
func (r *rule) holdsInTests(of target) bool {
	if r.job != "" || r.origin != fromUser && r.origin != fromInstruction || r.wrapper && isCode(r.established) {
		return false
	}
	return r.established == "" || of.module != "" || of.member != nil && !of.member.Raw
}

// isWrapper reports whether a file is the wrapper's own module.
func isWrapper(file, wrapper string) bool {
	wrapper = strings.TrimLeft(strings.TrimPrefix(wrapper, "@/"), "./~")
	stem := strings.TrimSuffix(file, path.Ext(file))
	if strings.Contains("/"+file+"/", "/"+wrapper+"/") || strings.HasSuffix("/"+stem, "/"+wrapper) {
		return true
	}
	return sameName(lastPart(file), lastPart(wrapper)) || sameName(path.Base(path.Dir(file)), lastPart(wrapper))
}

// sameName compares names by their words: apiClient, api_client, api-client.
func sameName(a, b string) bool {
	return strings.Join(stemmed(a), " ") == strings.Join(stemmed(b), " ")
}

// usedBefore reports whether the file was seen using the thing already: its own
// practice, not a new departure.
func (t *turn) usedBefore(e *edit, of target) bool {
	return of.member != nil && t.memory.usedIn(of.member.Key(), e.file)
}

func (m *memory) usedIn(key, file string) bool {
	u := m.Uses[key]
	if u == nil {
		return false
	}
	for _, hash := range u.Files {
		if hash == hashOf(file) {
			return true
		}
	}
	return false
}

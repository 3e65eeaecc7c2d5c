package weakenedcheck

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/assertion"
)

// testKey begins the key of a test among those added lately.
const testKey = "test\x00"

// addedTest reports whether a test was added somewhere lately.
func (t *turn) addedTest(name string) bool {
	return slices.Contains(t.added, testKey+name) || slices.Contains(t.memory.Added, testKey+name)
}

// dropped reports tests whose heads are gone: deleted, or renamed so that the runner no
// longer finds them. Tests that came in the same edit replace others.
func (t *turn) dropped(e *edit, before, after assertion.Reading) {
	var gone []string
	fresh := 0
	for _, b := range before.Tests {
		if removedTest(b.Name, before, after) {
			gone = append(gone, b.Name)
		}
	}
	for _, a := range after.Tests {
		if !slices.ContainsFunc(before.Tests, func(b assertion.Test) bool { return b.Name == a.Name }) {
			fresh++
		}
	}
	for _, name := range gone {
		if other := t.outOfPattern(e, name); other != "" {
			t.report(change{kind: "renamed", class: e.class, file: e.file, test: name, after: other, segment: e.segment})
			continue
		}
		if t.addedTest(name) || fresh > 0 && t.Table.MatchString(e.after) {
			continue
		}
		if fresh > 0 {
			fresh--
			continue
		}
		t.report(change{kind: "deleted", class: e.class, file: e.file, test: name, before: name, segment: e.segment})
	}
}

// outOfPattern is the name under which a test is still there, though no runner finds it.
func (t *turn) outOfPattern(e *edit, name string) string {
	bare := strings.TrimPrefix(strings.TrimPrefix(name, "test_"), "Test")
	for _, l := range e.added {
		line := strings.TrimSpace(l.Text)
		if !strings.Contains(line, "(") || len(bare) < 4 {
			continue
		}
		for _, word := range []string{"def ", "func ", "fn ", "async def "} {
			rest, is := strings.CutPrefix(line, word)
			if !is {
				continue
			}
			declared, _, _ := strings.Cut(rest, "(")
			if strings.Contains(strings.ToLower(declared), strings.ToLower(bare)) && declared != name && !strings.HasPrefix(strings.ToLower(declared), "test") && strings.HasSuffix(declared, bare) {
				return declared
			}
		}
	}
	return ""
}

package shadow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	done    = `"outcome":"success","cycle":1`
	orderly = `"commits":2,"tests_run":true`
)

func completed1(archetype, rest string) string {
	return `agent.completed {"agent_id":"` + archetype + `-1","archetype":"` + archetype + `",` + done + `,` + rest + `}`
}

// Each condition of each archetype at its boundary: what fires, and the nearest
// that does not.
func TestConditionsAtTheirBoundaries(t *testing.T) {
	c := defaultConfig(t)
	recommendation := "\n\n## Recommendation\n\nKeep it."
	warning := `{"id":"f#","severity":"WARNING","text":"t#","fix":"x","repro":"y"}`
	critical := `{"id":"c#","severity":"CRITICAL","text":"t#","fix":"x"}`
	bare := `{"id":"b#","severity":"INFO","text":"%#"}`
	for _, test := range []struct {
		name   string
		events []string
		want   []string
	}{
		{"RW-1 2001 words", []string{completed1("explorer", `"output":`+quoted(words(1990)+" In summary, it is fine. "+words(6)))}, []string{"RW-1 too_many_words"}},
		{"RW-1 2000 words", []string{completed1("explorer", `"output":`+quoted(words(1989)+" In summary, it is fine. "+words(6)))}, nil},
		{"RW-1 2001 words with a Recommendation", []string{completed1("explorer", `"output":`+quoted(words(2100)+recommendation))}, nil},
		{"RW-1 400 words", []string{completed1("explorer", `"output":`+quoted(words(400)))}, []string{"RW-1 no_synthesis"}},
		{"RW-1 399 words", []string{completed1("explorer", `"output":`+quoted(words(399)))}, nil},
		{"RW-1 synthesis before the end only", []string{completed1("explorer", `"output":`+quoted("In summary, it is fine. "+words(400)))}, []string{"RW-1 no_synthesis"}},
		{"RW-1 4 tangents", []string{completed1("explorer", `"output":`+quoted(strings.Repeat("By the way, it is blue. ", 4)))}, []string{"RW-1 tangents"}},
		{"RW-1 3 tangents", []string{completed1("explorer", `"output":`+quoted(strings.Repeat("By the way, it is blue. ", 3)))}, nil},
		{"RW-1 16 files", []string{completed1("explorer", `"output":`+quoted(listed(16, "I read pkg/f#.go, e.g. for foo.Then.")))}, []string{"RW-1 files_without_patterns"}},
		{"RW-1 15 files", []string{completed1("explorer", `"output":`+quoted(listed(15, "I read pkg/f#.go, e.g. for foo.Then.")))}, nil},
		{"RW-1 16 files with a pattern", []string{completed1("explorer", `"output":`+quoted(listed(16, "I read pkg/f#.go.")+" All follow the repository pattern."))}, nil},
		{"RW-8 20 files, each in the findings", []string{completed1("explorer", `"output":`+quoted("## Findings\n\n"+listed(20, "- pkg/f#.go calls the old API.")))}, []string{"RW-1 (files_without_patterns) suppressed"}},

		{"RW-2 3 abstractions", []string{`proposal.published {"abstractions":3}`, completed1("creator", `"output":"Done."`)}, []string{"RW-2 too_many_abstractions"}},
		{"RW-2 2 abstractions", []string{`proposal.published {"abstractions":2}`, completed1("creator", `"output":"Done."`)}, nil},
		{"RW-2 2 packages", []string{completed1("creator", `"output":"Done."`), `proposal.published {"packages":2}`}, []string{"RW-2 too_many_packages"}},
		{"RW-2 1 package", []string{completed1("creator", `"output":"Done."`), `proposal.published {"packages":1}`}, nil},
		{"RW-2 151 of 100 words", []string{`proposal.published {"words":151,"task_words":100}`, completed1("creator", `"output":"Done."`)}, []string{"RW-2 scope_exceeds_task"}},
		{"RW-2 150 of 100 words", []string{`proposal.published {"words":150,"task_words":100}`, completed1("creator", `"output":"Done."`)}, nil},
		{"RW-2 4 of 2 files", []string{`run.started {"goal":"Fix a.go and b.go."}`, `proposal.published {"files":["a.go","b.go","c.go","d.go"]}`, completed1("creator", `"output":"Done."`)}, []string{"RW-2 scope_exceeds_task"}},
		{"RW-2 3 of 2 files", []string{`run.started {"goal":"Fix a.go and b.go."}`, `proposal.published {"files":["a.go","b.go","c.go"]}`, completed1("creator", `"output":"Done."`)}, nil},
		{"RW-2 future-proof", []string{completed1("creator", `"output":"An interface keeps the exporter future-proof."`)}, []string{"RW-2 future_proof"}},
		{"RW-2 not future-proof", []string{completed1("creator", `"output":"There is no need to future-proof the exporter."`)}, nil},
		{"RW-2 no creator completes", []string{`proposal.published {"abstractions":3}`, `cycle.completed {"cycle":1}`}, []string{"RW-2 too_many_abstractions"}},

		{"RW-3 3 files, no test", []string{completed1("maker", `"files_changed":["a.go","b.go","c.go"],`+orderly)}, []string{"RW-3 no_test_files"}},
		{"RW-3 2 files, no test", []string{completed1("maker", `"files_changed":["a.go","b.go"],`+orderly)}, nil},
		{"RW-3 3 files, one a test", []string{completed1("maker", `"files_changed":["a.go","b.go"],"files_created":["a_test.go"],`+orderly)}, nil},
		{"RW-3 3 documents", []string{completed1("maker", `"files_changed":["a.md","docs/b.png","README"],`+orderly)}, []string{"RW-3 (no_test_files) suppressed"}},
		{"RW-3 one commit of 5 files", []string{completed1("maker", `"files_changed":["a.go","b.go","c.go","d.go","a_test.go"],"commits":1,"tests_run":true`)}, []string{"RW-3 monolithic_commit"}},
		{"RW-3 one commit of 4 files", []string{completed1("maker", `"files_changed":["a.go","b.go","c.go","a_test.go"],"commits":1,"tests_run":true`)}, nil},
		{"RW-3 one commit of 300 lines", []string{completed1("maker", `"files_changed":["a.go"],"diff_lines":300,"commits":1,"tests_run":true`)}, []string{"RW-3 monolithic_commit"}},
		{"RW-3 one commit of 299 lines", []string{completed1("maker", `"files_changed":["a.go"],"diff_lines":299,"commits":1,"tests_run":true`)}, nil},
		{"RW-3 two commits of 300 lines", []string{completed1("maker", `"files_changed":["a.go"],"diff_lines":300,"commits":2,"tests_run":true`)}, nil},
		{"RW-3 outside the proposal", []string{`proposal.published {"files":["a.go","lib/"]}`, completed1("maker", `"files_changed":["./a.go","c.go"],`+orderly)}, []string{"RW-3 outside_proposal"}},
		{"RW-3 inside the proposal", []string{`proposal.published {"files":["a.go","lib/"]}`, completed1("maker", `"files_changed":["./a.go","lib/x.go"],`+orderly)}, nil},
		{"RW-3 a test beside the proposal", []string{`proposal.published {"files":["a.go"]}`, completed1("maker", `"files_changed":["a.go","a_test.go"],`+orderly)}, nil},
		{"RW-3 no test run", []string{completed1("maker", `"files_changed":["a.go"],"commits":2,"tests_run":false`)}, []string{"RW-3 no_test_run"}},
		{"RW-3 test run not told", []string{completed1("maker", `"files_changed":["a.go"],"commits":2`)}, nil},
		{"RW-3 report without a test run", []string{completed1("maker", `"files_changed":["a.go"],"output":"I changed the parser."`)}, []string{"RW-3 no_test_run"}},
		{"RW-3 report with a test run", []string{completed1("maker", `"files_changed":["a.go"],"output":"I changed the parser. All 12 tests pass."`)}, nil},
		{"RW-3 a test run shown in a code block", []string{completed1("maker", `"files_changed":["a.go"],"output":`+quoted("I changed the parser.\n```console\n$ pytest tests/\n6 passed in 0.41s\n```\n"))}, nil},
		{"RW-3 a build shown in a code block", []string{completed1("maker", `"files_changed":["a.go"],"output":`+quoted("I changed the parser.\n```python\nimport pytest\n```\n```\n$ go build ./...\n```\n"))}, []string{"RW-3 no_test_run"}},
		{"RW-3 a test run of its own event", []string{`test.completed {"passed":true}`, completed1("maker", `"files_changed":["a.go"],"output":"I changed the parser."`)}, nil},
		{"RW-3 failed", []string{`agent.completed {"agent_id":"m","archetype":"maker","outcome":"timeout","files_changed":["a.go","b.go","c.go"],"tests_run":false}`}, nil},

		{"RW-4 3:0", []string{completed1("guardian", `"findings":`+findings("3*"+critical))}, []string{"RW-4 critical_ratio"}},
		{"RW-4 4:2", []string{completed1("guardian", `"findings":`+findings("4*"+critical, "2*"+warning))}, nil},
		{"RW-4 5:2", []string{completed1("guardian", `"findings":`+findings("5*"+critical, "2*"+warning))}, []string{"RW-4 critical_ratio"}},
		{"RW-8 2:0", []string{completed1("guardian", `"findings":`+findings("2*"+critical))}, []string{"RW-4 (critical_ratio) suppressed"}},
		{"RW-4 1:0", []string{completed1("guardian", `"findings":`+findings(critical))}, nil},
		{"RW-4 1 of 3 with a fix", []string{completed1("guardian", `"findings":`+findings(warning, "2*"+bare))}, []string{"RW-4 findings_without_fix"}},
		{"RW-4 1 of 2 with a fix", []string{completed1("guardian", `"findings":`+findings(warning, bare))}, nil},
		{"RW-4 1 without a fix", []string{completed1("guardian", `"findings":`+findings(bare))}, nil},
		{"RW-4 compromised", []string{completed1("guardian", `"findings":[{"severity":"WARNING","text":"t","fix":"x","requires_compromised":true}]`)}, []string{"RW-4 requires_compromised"}},
		{"RW-4 compromised in words", []string{completed1("guardian", `"findings":[{"severity":"WARNING","text":"An attacker with root access can read it.","fix":"x"}]`)}, []string{"RW-4 requires_compromised"}},
		{"RW-4 never approved", []string{
			`review.completed {"reviewer":"guardian","cycle":1,"verdict":"rejected"}`, `review.completed {"reviewer":"guardian","cycle":2,"verdict":"blocking"}`,
			`review.completed {"reviewer":"guardian","cycle":3,"verdict":"rejected"}`,
		}, []string{"RW-4 never_approved"}},
		{"RW-4 approved once", []string{
			`review.completed {"reviewer":"guardian","cycle":1,"verdict":"rejected"}`, `review.completed {"reviewer":"guardian","cycle":2,"verdict":"APPROVED"}`,
			`review.completed {"reviewer":"guardian","cycle":3,"verdict":"rejected"}`,
		}, nil},
		{"RW-4 three reviews without a cycle", []string{
			`review.completed {"reviewer":"guardian","verdict":"rejected"}`, `review.completed {"reviewer":"guardian","verdict":"rejected"}`,
			`review.completed {"reviewer":"guardian","verdict":"rejected"}`,
		}, []string{"RW-4 never_approved"}},
		{"RW-4 three reports of one cycle's review", []string{
			`review.completed {"reviewer":"guardian","cycle":1,"verdict":"rejected"}`, `review.completed {"reviewer":"guardian","cycle":1,"verdict":"rejected"}`,
			`review.completed {"reviewer":"guardian","cycle":1,"verdict":"rejected"}`,
		}, nil},
		{"RW-4 one review told twice", []string{
			`review.completed {"reviewer":"guardian-1","cycle":1,"verdict":"rejected"}`, completed1("guardian", `"verdict":"rejected"`),
			`review.completed {"reviewer":"guardian-1","cycle":2,"verdict":"rejected"}`,
		}, nil},
		{"RW-4 severity words in prose", []string{completed1("guardian", `"output":"It is critical that this CRITICAL path is fast. Critical: no. The CRITICAL CRITICAL CRITICAL code works."`)}, nil},
		{"RW-4 a list of findings", []string{completed1("guardian", `"output":`+quoted("## Findings\n\n- [CRITICAL] a is open. Fix: close it.\n- [CRITICAL] b is open. Fix: close it.\n- **CRITICAL**: c is open. Fix: close it.\n"))}, []string{"RW-4 critical_ratio"}},

		{"RW-5 8 challenges", []string{completed1("skeptic", `"findings":`+findings("8*"+warning))}, []string{"RW-5 too_many_challenges"}},
		{"RW-5 7 challenges", []string{completed1("skeptic", `"findings":`+findings("7*"+warning))}, nil},
		{"RW-5 4 challenges in words", []string{completed1("skeptic", `"output":`+quoted("Challenge 1: The queue grows.\n\n### Challenge 2: Who rotates keys?\n- Why: nobody does.\n- When: yearly.\n\n- Challenge: Uploads are slow. Alternative: stream them.\n- Concern: The clock drifts.\n"))}, []string{"RW-5 few_alternatives"}},
		{"RW-5 3 challenges with remarks", []string{completed1("skeptic", `"output":`+quoted("### Challenge 1: The queue of orders grows.\n- Why: a\n- When: b\n- Impact: c\n- Alternative: d\n\n### Challenge 2: Who rotates keys?\n- Why: a\n- When: b\n- Impact: c\n- Alternative: d\n\n### Challenge 3: Uploads stall.\n- Why: a\n- When: b\n- Alternative: c\n"))}, nil},
		{"RW-5 1 of 4 with an alternative", []string{completed1("skeptic", `"findings":`+findings(warning, "3*"+bare))}, []string{"RW-5 few_alternatives"}},
		{"RW-5 2 of 4 with an alternative", []string{completed1("skeptic", `"findings":`+findings("2*"+warning, "2*"+bare))}, nil},
		{"RW-5 3 without an alternative", []string{completed1("skeptic", `"findings":`+findings("3*"+bare))}, nil},
		{"RW-5 the same concern", []string{completed1("skeptic", `"findings":[{"text":"What happens when the database is down?","fix":"x"},{"text":"How does this behave if the DB is unavailable?","fix":"y"}]`)}, []string{"RW-5 same_concern"}},
		{"RW-5 two concerns", []string{completed1("skeptic", `"findings":[{"text":"What happens when the database is down?","fix":"x"},{"text":"The cache size is not bounded.","fix":"y"}]`)}, nil},
		{"RW-5 4 outside the scope", []string{completed1("skeptic", `"findings":`+findings(`4*{"text":"t#","fix":"x","in_changeset":false}`))}, []string{"RW-5 outside_scope"}},
		{"RW-5 3 outside the scope", []string{completed1("skeptic", `"findings":`+findings(`3*{"text":"t#","fix":"x","in_changeset":false}`))}, nil},

		{"RW-6 untouched code", []string{completed1("maker", `"files_changed":["a.go"],`+orderly), completed1("trickster", `"findings":[{"text":"t","repro":"x","file":"b.go"}]`)}, []string{"RW-6 untouched_code"}},
		{"RW-6 touched code", []string{completed1("maker", `"files_changed":["a.go"],`+orderly), completed1("trickster", `"findings":[{"text":"t","repro":"x","file":"a.go"}]`)}, nil},
		{"RW-6 unknown change", []string{completed1("trickster", `"findings":[{"text":"t","repro":"x","file":"b.go"}]`)}, nil},
		{"RW-6 11 findings for 4 files", []string{completed1("trickster", `"files_changed":["a.go","b.go","c.go","d.go"],"findings":`+findings(`10*{"text":"t#","repro":"x","file":"a.go"}`, `{"text":"other","file":"b.go"}`))}, []string{"RW-6 too_many_findings"}},
		{"RW-6 11 findings for 5 files", []string{completed1("trickster", `"files_changed":["a.go","b.go","c.go","d.go","e.go"],"findings":`+findings(`10*{"text":"t#","repro":"x","file":"a.go"}`, `{"text":"other","file":"b.go"}`))}, nil},
		{"RW-6 10 findings for 4 files", []string{completed1("trickster", `"files_changed":["a.go","b.go","c.go","d.go"],"findings":`+findings(`9*{"text":"t#","repro":"x","file":"a.go"}`, `{"text":"other","file":"b.go"}`))}, nil},
		{"RW-8 11 edge cases with repro in changed code", []string{completed1("trickster",
			`"files_changed":["a.go"],"findings":`+findings(`11*{"text":"t#","repro":"x","file":"a.go"}`))}, []string{"RW-6 too_many_findings"}},
		{"RW-8 steps that somebody can take", []string{completed1("trickster",
			`"files_changed":["a.go"],"findings":[{"text":"Two UUIDs that are equal share a row.","repro":"Seed the generator with 1, start two workers.","file":"a.go"}]`)}, []string{"RW-6 (impossible_scenarios) suppressed"}},
		{"RW-8 imaginary steps", []string{completed1("trickster",
			`"files_changed":["a.go"],"findings":[{"text":"Two UUIDs that are equal share a row.","repro":"Imagine that it happens.","file":"a.go"}]`)}, []string{"RW-6 impossible_scenarios"}},
		{"RW-8 steps of an impossible kind", []string{completed1("trickster",
			`"files_changed":["a.go"],"findings":[{"text":"The counter is wrong after a bit flip.","repro":"Run it in a solar storm.","file":"a.go"}]`)}, []string{"RW-6 impossible_scenarios"}},
		{"RW-6 impossible", []string{completed1("trickster", `"findings":[{"text":"A cosmic ray flips a bit.","repro":"wait"}]`)}, []string{"RW-6 impossible_scenarios"}},
		{"RW-6 possible", []string{completed1("trickster", `"findings":[{"text":"An empty list panics.","repro":"wait"}]`)}, nil},
		{"RW-6 4 without repro", []string{completed1("trickster", `"findings":`+findings("4*"+bare))}, []string{"RW-6 without_repro"}},
		{"RW-6 3 without repro", []string{completed1("trickster", `"findings":`+findings("3*"+bare))}, nil},

		{"RW-7 201 words for 100 lines", []string{completed1("sage", `"diff_lines":100,"output":`+quoted(words(201)))}, []string{"RW-7 review_too_long"}},
		{"RW-7 200 words for 100 lines", []string{completed1("sage", `"diff_lines":100,"output":`+quoted(words(200)))}, nil},
		{"RW-7 200 words, no diff known", []string{completed1("sage", `"output":`+quoted(words(200)))}, nil},
		{"RW-7 outside the changeset", []string{completed1("sage", `"findings":[{"text":"t","fix":"x","in_changeset":false}]`)}, []string{"RW-7 outside_changeset"}},
		{"RW-7 inside the changeset", []string{completed1("sage", `"findings":[{"text":"t","fix":"x","in_changeset":true}]`)}, nil},
		{"RW-7 3 times consider", []string{completed1("sage", `"output":"Consider the readers. Consider cleaning this up. Please consider naming."`)}, []string{"RW-7 consider_without_action"}},
		{"RW-7 twice consider", []string{completed1("sage", `"output":"Consider the readers. Consider cleaning this up."`)}, nil},
		{"RW-7 3 times consider with an action", []string{completed1("sage", `"output":"Consider the readers. Consider cleaning this up. Consider replacing the loop with a lookup."`)}, nil},
		{"RW-7 docs for a getter", []string{completed1("sage", `"findings":[{"text":"Add a docstring to the getter.","fix":"x"}]`)}, []string{"RW-7 trivial_documentation"}},
		{"RW-7 docs for a policy", []string{completed1("sage", `"findings":[{"text":"Document the retry policy.","fix":"x"}]`)}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t, c)
			for _, e := range test.events {
				p.event(e)
			}
			if test.want == nil {
				test.want = []string{}
			}
			require.Equal(t, test.want, p.told())
			for _, s := range p.signals {
				require.NotEmpty(t, s.Reason)
				require.NotEmpty(t, s.Events)
				require.NotEmpty(t, s.Message)
			}
		})
	}
}

// listed repeats a line with # for its number.
func listed(n int, form string) string {
	var out []string
	for i := range n {
		out = append(out, strings.ReplaceAll(form, "#", string(rune('a'+i))))
	}
	return strings.Join(out, "\n")
}

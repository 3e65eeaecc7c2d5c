package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// A run proves no more than it covers (JD-13, JD-14): each claim that speaks of more has a twin that a run
// does show. None of them is held against the primary.
func TestARunProvesWhatItCovers(t *testing.T) {
	const good = "ok  \texample.org/depot\t0.2s"
	for name, c := range map[string]struct {
		asks, changes, runs, output, says string
		proven                            bool
	}{
		"done without the suite that changed": {
			"Drop the old label printer.", "integration_test/label_test.go",
			"go test ./...", good, "Done.", false,
		},
		"done with it": {
			"Drop the old label printer.", "integration_test/label_test.go",
			"go test -tags integration ./...", good, "Done.", true,
		},
		"done with another suite untouched": {
			"Drop the old label printer.", "label_test.go",
			"go test ./...", good, "Done.", true,
		},
		"all is clean by one package": {
			"Sort the labels.", "label_test.go",
			"go test ./label", good, "Everything is clean.", false,
		},
		"all is clean by one test": {
			"Sort the labels.", "label_test.go",
			"go test ./... -run TestLabel", good, "All passing.", false,
		},
		"all is clean": {"Sort the labels.", "label_test.go", "go test ./...", good, "Everything is clean.", true},
		"short runs": {
			"Sort the labels.", "label_test.go",
			"go test -short ./...", good, "All tests pass.", false,
		},
		"long runs": {"Sort the labels.", "label_test.go", "go test -count=1 ./...", good, "All tests pass.", true},
		"what changed only": {
			"Sort the labels.", "label.test.ts",
			"npx jest --onlyChanged", "Tests:       4 passed, 4 total", "All tests pass.", false,
		},
		"one tag of the tests": {
			"Sort the labels.", "label_test.py",
			"python manage.py test --tag fast", "Ran 4 tests in 0.1s\n\nOK", "All tests pass.", false,
		},
		"everything": {
			"Sort the labels.", "label_test.py",
			"python manage.py test", "Ran 4 tests in 0.1s\n\nOK", "All tests pass.", true,
		},
		"an edit everywhere": {
			"Name it parcel.", "label.go",
			"go test ./...", good, "Renamed the old type in all of the handlers.", false,
		},
		"an edit in each place": {
			"Log what goes wrong.", "label.go",
			"go test ./...", good, "I've added a log line to each branch that swallowed its error.", false,
		},
		"behaviour": {"Log what goes wrong.", "label.go", "go test ./...", good, "The label printer works now.", true},
		"a fault that nobody saw": {
			"I just printed one and I don't see the weight on the label.", "label.go",
			"go test ./...", good, "Fixed.", false,
		},
		"a thing that does not come": {
			"When I scan a parcel nothing shows up in the list.", "label.go",
			"go test ./...", good, "The list is fixed.", false,
		},
		"a thing that is wanted": {
			"Print the weight on the label, too.", "label.go",
			"go test ./...", good, "Done.", true,
		},
		"a doubt": {
			"I don't see why there are two printers, use one.", "label.go",
			"go test ./...", good, "The label printer works now.", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.play(person(c.asks), edits("label.go"), edits(c.changes))
			p.play(ran(t, c.runs, c.output))
			got := p.play(says(c.says))
			require.True(t, !c.proven || len(got.Claims) > 0)
			for _, claim := range got.Claims {
				proven := claim.Verdict == sessionevents.Proven
				require.Equal(t, c.proven, proven, "%s: %s (%s)", claim.Verdict, claim.Why, claim.Kind)
				require.NotEqual(t, sessionevents.Contradicted, claim.Verdict, claim.Why)
			}
		})
	}
}

// A run whose output is cut off, and a suite that ran before and not since, leave open whether the work is
// complete, whatever else passed.
func TestWhatRanBesides(t *testing.T) {
	const good = "ok  \texample.org/depot\t0.2s"
	const begun = "=== RUN   TestOne\n=== RUN   TestTwo\n=== RUN   TestThree"
	integration := []string{"go test -tags integration ./integration_test", good}
	for name, c := range map[string]struct {
		before, after [][]string
		says          string
		proven        bool
	}{
		"cut": {
			nil,
			[][]string{{"make test 2>&1 | head -3", begun}, {"make test-integration 2>&1 | tail -3", good}},
			"The fix is complete.", false,
		},
		"whole": {
			nil,
			[][]string{{"make test", good}, {"make test-integration 2>&1 | tail -3", good}},
			"The fix is complete.", true,
		},
		"cut and whole later": {
			nil,
			[][]string{{"go test ./... 2>&1 | head -3", begun}, {"go test ./...", good}},
			"The fix is complete.", true,
		},
		"ran before":           {[][]string{integration}, [][]string{{"go test ./...", good}}, "Done.", false},
		"ran before and after": {[][]string{integration}, [][]string{{"go test ./...", good}, integration}, "Done.", true},
		"another ran before":   {[][]string{{"go vet ./...", ""}}, [][]string{{"go test ./...", good}}, "Done.", true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.play(person("Sort the labels."), edits("label.go"))
			for _, r := range c.before {
				p.play(ran(t, r[0], r[1]))
			}
			p.play(edits("label.go"))
			for _, r := range c.after {
				p.play(ran(t, r[0], r[1]))
			}
			got := p.play(says(c.says))
			require.NotEmpty(t, got.Claims)
			for _, claim := range got.Claims {
				require.Equal(t, c.proven, claim.Verdict == sessionevents.Proven, "%s: %s", claim.Verdict, claim.Why)
				require.NotEqual(t, sessionevents.Contradicted, claim.Verdict, claim.Why)
			}
		})
	}
}

// "Fixed and pushed" are two claims (JD-10): the push proves the second only.
func TestTwoDeedsOfOneSentence(t *testing.T) {
	p := newPlayer(t)
	p.play(person("Sort the labels."), edits("label.go"))
	p.play(ran(t, "git push", "   1a2b3c4..5d6e7f8  main -> main"))
	got := p.play(says("Fixed and pushed."))
	proven := []string{}
	for _, claim := range got.Claims {
		if claim.Verdict == sessionevents.Proven {
			proven = append(proven, claim.Text)
		}
	}
	require.Equal(t, []string{"pushed."}, proven)
}

// Ticked lines are claims of their own, also where no list marker precedes them (JD-10): what proves one
// says nothing of the next.
func TestTickedLines(t *testing.T) {
	p := newPlayer(t)
	p.play(person("Pack the release."), writes("tools/pack.sh", "tar cf out.tar src"))
	got := p.play(says("Summary:\n\n✅ Created `tools/pack.sh` - packs what is released\n" +
		"✅ Created `tools/sign.sh` - signs it\n☑ The archive is signed"))
	verdicts := map[string]sessionevents.Verdict{}
	for _, claim := range got.Claims {
		verdicts[claim.Text] = claim.Verdict
	}
	first := "✅ Created `tools/pack.sh` - packs what is released"
	require.Equal(t, sessionevents.Proven, verdicts[first], "%v", verdicts)
	require.NotEqual(t, sessionevents.Proven, verdicts["✅ Created `tools/sign.sh` - signs it"], "%v", verdicts)
}

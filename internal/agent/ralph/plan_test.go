package ralph_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// complete returns the log of a loop that says that all is done.
func complete(last, end string) string {
	return "=== Iteration 1 ===\nwork\n=== Exit code: 0 ===\n=== Iteration 2 ===\n" +
		last + "\n=== Exit code: 0 ===\n" + end + "\n"
}

// IN-13: what a loop's plan has open when it says that all is done.
func TestOpenItemsOfThePlan(t *testing.T) {
	const all = "=== Ralph completed all tasks! ==="
	type check struct {
		here, file, text, last, end string
		open, done                  int
		from                        string
	}
	for name, c := range map[string]check{
		"boxes beside the log": {
			"shop", "shop/fix_plan.md", "# Plan\n- [x] store\n- [ ] mail\n", "ok",
			all, 1, 1, "fix_plan.md",
		},
		"at-sign of older loops": {
			"logs", "@fix_plan.md", "* [X] store\n  * [ ] mail\n  * [ ] test\n", "ok",
			all, 2, 1, "@fix_plan.md",
		},
		"a folder of logs": {
			"logs", "fix_plan.md", "1. [ ] mail\n", "ok",
			"🏁 Graceful exit triggered: project_complete", 1, 0, "fix_plan.md",
		},
		"stories that do not pass": {
			"shop", "shop/prd.json",
			`{"userStories":[{"title":"a","passes":true},{"title":"b","passes":false},{"title":"c"}]}`, "ok", all, 1,
			1, "prd.json",
		},
		"a bare list of stories": {
			"shop", "shop/prd.json", `[{"description":"a","passes":false}]`, "ok",
			all, 1, 0, "prd.json",
		},
		"all is ticked": {
			"shop", "shop/fix_plan.md", "- [x] store\n- [x] mail\n", "ok", all, 0, 2,
			"fix_plan.md",
		},
		"a promise": {
			"shop", "shop/IMPLEMENTATION_PLAN.md", "- [ ] mail\n",
			"<promise>COMPLETE</promise>", "", 1, 0, "IMPLEMENTATION_PLAN.md",
		},
		"project complete": {
			"shop", "shop/fix_plan.md", "- [ ] mail\n", "ok",
			"=== Project complete ===", 1, 0, "fix_plan.md",
		},
		"the agent's own list": {
			"shop", "", "", "Done:\n- [x] store\n- [ ] mail\n", all, 1, 1,
			"the last iteration",
		},
		"open, then ticked": {
			"shop", "", "", "- [ ] mail\nnow\n- [x] mail\n", all, 0, 1,
			"the last iteration",
		},
		"the plan before the words": {
			"shop", "shop/fix_plan.md", "- [x] mail\n", "- [ ] mail\n", all, 0, 1,
			"fix_plan.md",
		},
		"a plan of another project": {"shop", "fix_plan.md", "- [ ] other\n", "ok", all, -1, 0, ""},
		"a list without boxes": {
			"shop", "shop/fix_plan.md", "- mail\n- [link](x) y\n", "ok", all, -1, 0,
			"",
		},
		"damaged stories": {"shop", "shop/prd.json", `{"userStories":"none"`, "ok", all, -1, 0, ""},
		"gave up": {
			"shop", "shop/fix_plan.md", "- [ ] mail\n", "ok",
			"=== Max iterations reached ===", -1, 0, "",
		},
		"the same item twice counts once": {
			"shop", "shop/fix_plan.md", "- [ ] mail\n- [ ] mail\n", "ok", all, 1, 0,
			"fix_plan.md",
		},
		"exit of a loop that only tested": {
			"logs", "fix_plan.md", "- [ ] mail\n", "ok",
			"Graceful exit triggered: test_saturation", -1, 0, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			beside := fstest.MapFS{}
			if c.file != "" {
				beside[c.file] = &fstest.MapFile{Data: []byte(c.text)}
			}
			list := read(t, complete(c.last, c.end), transcript.Options{Beside: fs.FS(beside), Here: c.here})
			var checks []*runevents.ScopeChecked
			for _, e := range list {
				if d, is := e.Data.(*runevents.ScopeChecked); is {
					checks = append(checks, d)
				}
			}
			if c.open < 0 {
				require.Empty(t, checks)
				return
			}
			require.Len(t, checks, 1)
			count := map[string]int{}
			for _, one := range checks[0].Criteria {
				count[one.Status]++
			}
			require.Equal(t, c.open, count["missing"])
			require.Equal(t, c.done, count["met"])
			require.Equal(t, c.from, checks[0].CriteriaSource)
		})
	}
}

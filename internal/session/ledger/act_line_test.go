package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// What one command of a line says or comes to tells nothing of the others (JD-2, JD-13).
func TestActsOfOneLine(t *testing.T) {
	const rejected = " ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'origin'"
	const (
		both      = "git commit -qm a && git push"
		migrates  = "alembic upgrade head"
		committed = "I committed the change."
		applied   = "The migration was applied."
		clean     = "nothing to commit, working tree clean"
		hook      = "eslint found 3 problems"
		failing   = "FAILED tests/test_a.py::test_a\n1 failed, 8 passed in 0.3s"
		revision  = "FAILED: no such revision"
		prints    = migrates + ` > log; echo "exit=$?"`
	)
	for name, c := range map[string]struct {
		command, output, says string
		exit                  int
		verdict               sessionevents.Verdict
	}{
		"push rejected":        {both, rejected, committed, 1, sessionevents.Proven},
		"rejected is told":     {both, rejected, "I pushed the change.", 1, sessionevents.Contradicted},
		"in a row":             {"git commit -qm a; git push", rejected, committed, 1, sessionevents.NotCheckable},
		"commit refused":       {both, clean, committed, 1, sessionevents.Contradicted},
		"and so not pushed":    {both, clean, "I pushed the change.", 1, sessionevents.Contradicted},
		"hook, then a look":    {"git commit -qm a && git log -1", hook, committed, 1, sessionevents.Contradicted},
		"which is not known":   {both, hook, committed, 1, sessionevents.NotCheckable},
		"tests after it fail":  {migrates + " && pytest -q", failing, applied, 1, sessionevents.Proven},
		"it fails before them": {migrates + " && pytest -q", revision, applied, 1, sessionevents.NotCheckable},
		"it fails alone":       {migrates, revision, applied, 1, sessionevents.Contradicted},
		"code printed":         {prints, "exit=1", applied, 0, sessionevents.Contradicted},
		"good code printed":    {prints, "exit=0", applied, 0, sessionevents.Proven},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.play(person("Do it."), edits("shop/app.py"))
			s := ran(t, c.command, c.output)
			*s.Result.ExitCode, s.Result.IsError = c.exit, c.exit != 0
			p.play(s)
			claims := p.play(says(c.says)).Claims
			require.Len(t, claims, 1)
			require.Equal(t, c.verdict, claims[0].Verdict, claims[0].Why)
		})
	}
}

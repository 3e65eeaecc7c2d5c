package destructiveact

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
)

func TestDestructiveAct(t *testing.T) { detecttest.Run(t, Detector) }

func TestRandomConversations(t *testing.T) {
	detecttest.RunRandom(t, Detector, []string{
		"git status", "git reset --hard", "git stash", "git stash pop", "git stash drop", "git clean -fd", "rm -rf src", "rm .env", "> data.csv", "pkill node", "npm start &",
		"git config --global user.name x", "git worktree add ../x", "cd ../x && git config user.name y", "psql -c 'DROP TABLE a'", "git push -f", "git branch -D x", "terraform destroy", "On branch main\nnothing to commit, working tree clean",
		"Changes not staged for commit:\n\tmodified:   a.go\nUntracked files:\n\tb.go", "Yes, go ahead.", "Delete src.",
	})
}

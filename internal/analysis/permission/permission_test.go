package permission

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Only the act on the thing is licensed; words of the subject matter license nothing (JD-30).
func TestAsked(t *testing.T) {
	r, err := New(rules.Default())
	require.NoError(t, err)
	reset := Act{Kind: "worktree", Command: "git reset --hard", Whole: true}
	file := Act{Kind: "worktree", Command: "git checkout -- src/app.go", Targets: []string{"src/app.go"}}
	runs := Act{Kind: "files", Command: "rm -rf runs", Targets: []string{"runs"}}
	users := Act{Kind: "data", Command: "psql -c DROP TABLE users", Targets: []string{"users"}}
	branch := Act{Kind: "branches", Command: "git branch -D fix/login", Targets: []string{"fix/login"}}
	for _, c := range []struct {
		want  bool
		act   Act
		said  string
		offer string
	}{
		{true, reset, "Discard my changes and start over.", ""},
		{true, reset, "Please throw away all uncommitted changes", ""},
		{true, reset, "Fix the test, then reset the working tree.", ""},
		{true, reset, "Run git reset --hard please", ""},
		{true, reset, "can you undo your edits?", ""},
		{true, reset, "Verwirf bitte meine Änderungen.", ""},
		{true, reset, "请丢弃所有修改", ""},
		{true, reset, "Drop my edits entirely, they were a try.", ""},
		{true, reset, "please reset the workspace hard", ""},
		{true, reset, "Throw away the uncommitted work for good.", ""},
		{false, reset, "reset the hard limit of the queue", ""},
		{false, reset, "Drop the changes too hard to follow from the changelog page", ""},
		{false, reset, "Clear the work too early flag", ""},
		{false, reset, "Fix the reset password link", ""},
		{false, reset, "Reset the password field after login.", ""},
		{false, reset, "The undo button drops the changes of the form, fix that", ""},
		{false, reset, "Add a fresh start page and a clean layout", ""},
		{false, reset, "Restore the sidebar", ""},
		{false, reset, "Sync the changes to the mobile client", ""},
		{false, reset, "Do not discard my changes", ""},
		{false, reset, "Discard my changes. No wait, keep them.", ""},
		{true, reset, "start over from main", ""},
		{true, reset, "Start over from a clean main, please", ""},
		{true, reset, "let's start fresh from origin/main", ""},
		{true, reset, "ok, start again from master", ""},
		{true, reset, "begin again from scratch, from main", ""},
		{true, reset, "start over from the last commit", ""},
		{false, reset, "start the server from main", ""},
		{false, reset, "start over with the login form: its labels are wrong", ""},
		{false, reset, "Do not start over from main, just fix it", ""},
		{false, reset, "The import starts over from main.py each time, fix that", ""},
		{false, reset, "drop the main column of the table", ""},
		{false, reset, "reset the main menu styles", ""},
		{false, reset, "Remove the scratch buffer feature", ""},
		{false, reset, "clean up the master list of prices", ""},
		{false, reset, "go back to main", ""},
		{true, file, "Revert src/app.go", ""},
		{true, file, "undo the changes in app.go", ""},
		{false, file, "Revert the behaviour of the cart", ""},
		{true, runs, "remove the runs folder", ""},
		{true, runs, "yes", "I can also remove `runs/`. Want me to?"},
		{true, runs, "remove it", "I can also remove `runs/`."},
		{true, runs, "Lösche runs", ""},
		{false, runs, "yes", "I can also reformat the code."},
		{false, runs, "no", "Should I remove runs/?"},
		{false, runs, "Remove the flicker when the animation runs", ""},
		{false, runs, "delete the old tests", ""},
		{true, users, "Drop the users table", ""},
		{true, users, "wipe the database", ""},
		{true, users, "Remove test data from the database while you keep the schema.", ""},
		{true, users, "Clear the application cache - invalidate it to pick up settings.", ""},
		{true, users, "The dev database may be wiped, reset it with prisma.", ""},
		{true, users, "The users table is broken: drop it and create it again", ""},
		{true, branch, "The branch fix/login is merged, delete it", ""},
		{false, users, "The database test is flaky, reset it after each case", ""},
		{false, users, "The database must not change, reset it only in memory", ""},
		{false, users, "The table view may be slow. Drop it from the menu.", ""},
		{false, branch, "Delete the old parser; the branch is fine", ""},
		{false, users, "Users should be able to drop items from the table view", ""},
		{false, users, "Add a button that deletes users", ""},
		{true, branch, "delete the branch fix/login", ""},
		{false, branch, "fix the login, then remove the branch logic from the parser", ""},
	} {
		require.Equal(t, c.want, r.Asked([]string{c.said}, c.offer, c.act), "%s | %s | %s", c.act.Command, c.said, c.offer)
	}
}

// A title ends without a mark.
func TestTitle(t *testing.T) {
	r, err := New(rules.Default())
	require.NoError(t, err)
	flush := Act{Kind: "data", Command: "redis-cli -h $HOST FLUSHALL", Whole: true}
	require.True(t, r.Asked([]string{"Clear Application Cache\nInvalidate what it holds to pick up settings.\nSettings are read again"}, "", flush))
}

// A brief yes, or the pick of one thing, approves what was proposed (JD-31); an order or a question does not.
func TestConsents(t *testing.T) {
	r, err := New(rules.Default())
	require.NoError(t, err)
	for text, want := range map[string]bool{
		"Yes, both.": true, "ok, but keep the log": true, "Sounds good!": true, "2": true, "b, please": true, "Option 3": true,
		"the first one": true, "Einverstanden.": true, "d'accord, vas-y": true, "vale": true, "好的": true, "go on": true,
		"A button for the export": false, "2 tests fail since then": false, "Why is it slow?": false, "": false,
		"Add a --since flag": false, "I want the first one gone from the list and none of the others, nowhere": false,
		"yes and then go through all of the files of the importer and tell me what each of them does": false,
	} {
		require.Equal(t, want, r.Consents(text), text)
	}
	require.True(t, r.Accepts("I think that is ok"))
	require.False(t, r.Accepts("ok, but do not push"), "a no among it")
}

package guard

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// known are facts of a repository, of which Git has said what is not committed.
type known struct {
	Blind
	home  string
	roots []string
	gone  map[string]bool
	work  Work
}

func (f known) Home() string    { return f.home }
func (f known) Roots() []string { return f.roots }

func (f known) Entry(name string) destruct.Entry {
	return destruct.Entry{Known: true, Exists: !f.gone[name], Folder: !f.gone[name], Real: name}
}

func (f known) Work(string, ...string) Work { return f.work }

func (known) Knows(string) (made, looked bool) { return false, false }

// says returns the decision about a line, and what is said of it.
func (f known) says(t *testing.T, folder, line string) (Decision, string) {
	t.Helper()
	j, err := New(rules.Default())
	require.NoError(t, err)
	v := j.Judge(j.Effects(line, folder, f), f, nil)
	text := ""
	for _, finding := range v.Findings {
		text += finding.Says + "; " + finding.Instead + "\n"
	}
	return v.Decision, text
}

// A path is named as a person reads it from where the command runs, and of two files of one name it is clear which.
func TestPathsAsAPersonReadsThem(t *testing.T) {
	work := Work{Root: "/home/ana/shop", Files: []WorkFile{
		{Path: "/home/ana/shop/web/config.ts", Before: true},
		{Path: "/home/ana/shop/api/config.ts", Session: "s2"},
		{Path: "/home/ana/shop/api/.env", Ignored: true, Before: true},
		{Path: "/home/ana/lib/web/config.ts", Before: true},
	}}
	f := known{home: "/home/ana", roots: []string{"/home/ana/shop", "/home/ana/lib"}, work: work}
	for line, want := range map[string]string{
		"rm -rf web/config.ts api/config.ts": "web/config.ts of the person, api/config.ts of session",
		"rm -rf ../lib/web":                  "~/lib/web/config.ts of the person",
		"rm -rf ~/photos":                    " destroys ~/photos, which is not",
		"rm -rf /srv/photos":                 " destroys /srv/photos, which is not",
		"cp a.txt api/.env": " writes over api/.env of the person, which Git ignores and no snapshot holds; " +
			"Copy it first, on the same line: cp api/.env api/.env.bak.",
	} {
		_, text := f.says(t, "/home/ana/shop", line)
		require.Contains(t, text, want, line)
	}
	f = known{home: "/data/ana", roots: []string{"/data/ana/shop"}}
	_, text := f.says(t, "/data/ana/shop", "rm -rf /data/ana/photos")
	require.Contains(t, text, " destroys ~/photos, which is not")
}

// Git's dot ends at the folder in which it is said; the top of the worktree is all of it.
func TestGitsDotEndsAtItsFolder(t *testing.T) {
	f := known{roots: []string{"/home/ana/shop"}, work: Work{Root: "/home/ana/shop", Files: []WorkFile{
		{Path: "/home/ana/shop/web/config.ts", Before: true},
	}}}
	for folder, lines := range map[string]map[string]Decision{
		"/home/ana/shop/api": {
			"git checkout .": Allow, "git restore .": Allow, "git checkout -- '*'": Allow,
			"git checkout :/": Deny, "git restore ':(top).'": Deny, "git checkout ..": Deny, "git reset --hard": Deny,
		},
		"/home/ana/shop/web": {"git checkout .": Deny, "git restore .": Deny, "git checkout -- '*'": Deny},
		"/home/ana/shop":     {"git checkout .": Deny, "git restore '*'": Deny},
	} {
		for line, want := range lines {
			decision, text := f.says(t, folder, line)
			require.Equal(t, want, decision, "%s in %s: %s", line, folder, text)
		}
	}
}

// What Git seldom holds is named where it is, not where it is not.
func TestWhatIsNotThereIsNoLoss(t *testing.T) {
	f := known{roots: []string{"/home/ana/shop"}, work: Work{Unknown: "Git is not there"}}
	f.gone = map[string]bool{"/home/ana/shop/old/.env": true}
	for line, want := range map[string]Decision{"rm .env": Warn, "rm -f old/.env": Allow, "rm -f old/.env .env": Warn} {
		decision, text := f.says(t, "/home/ana/shop", line)
		require.Equal(t, want, decision, "%s: %s", line, text)
	}
}

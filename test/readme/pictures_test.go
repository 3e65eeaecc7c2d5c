package readme

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/test/picture"
)

var update = flag.Bool("update", false, "draw the pictures of the README again")

// TestPicturesShowTheProgramAsItIs compares the README's pictures with what a terminal of 100 columns shows
// now: what is drawn is the same each time, but for what [changing] matches.
func TestPicturesShowTheProgramAsItIs(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a whole system")
	}
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("script, which runs a program in a terminal, is not installed")
	}
	d := newDesk(t)
	same(t, "demo.svg", "make demo", d.terminal("scaffoldwatch up --demo"))
	same(t, "guard.svg", "scaffoldwatch try", d.guarded())
}

// unset takes from env what would change the colours of a program: build servers set CI, for which there are none.
const unset = "-u CI -u NO_COLOR -u CLICOLOR -u CLICOLOR_FORCE -u COLORTERM -u COLORFGBG -u TERM_PROGRAM -u GOOGLE_CLOUD_SHELL"

// terminal returns what a terminal of 100 columns shows of a statement.
func (d *desk) terminal(statement string) string {
	d.t.Helper()
	out, code := d.shell(fmt.Sprintf("SHELL=/bin/sh script -qec 'stty cols 100; env %s TERM=screen-256color %s' /dev/null", unset, statement))
	require.Equal(d.t, 0, code, out)
	return out
}

// guarded returns what `try` says of three commands in a repository where a person has changed a file and written
// another.
func (d *desk) guarded() string {
	d.t.Helper()
	shop := filepath.Join(d.folder, "shop")
	require.NoError(d.t, os.MkdirAll(filepath.Join(shop, "src"), 0o700))
	for _, statement := range []string{
		"git init -q && printf 'build/\\n' > .gitignore && echo 1 > src/cart.py && git add .",
		"git -c user.name=demo -c user.email=demo@example.org commit -q -m first",
		"mkdir build && touch build/out && echo 2 > src/cart.py && echo idea > notes.md",
	} {
		out, code := d.shell("cd " + shop + " && " + statement)
		require.Equal(d.t, 0, code, out)
	}
	var text strings.Builder
	for i, command := range []string{"git reset --hard && git clean -fd", "rm -rf build"} {
		if i > 0 {
			text.WriteString("\n")
		}
		try := fmt.Sprintf("scaffoldwatch try %q", command)
		out, _ := d.shell("cd " + shop + " && " + try) // its exit code is the verdict
		text.WriteString("$ " + try + "\n" + out)
	}
	return strings.ReplaceAll(text.String(), shop, "/home/you/shop")
}

// changing are the parts of a picture that differ each time: a time of day, and the word that lifts a denial.
var changing = regexp.MustCompile(`[ \d]\d [A-Z][a-z]{2} \d\d:\d\d|typing: allow [a-z0-9]+`)

// shows matches a picture in Markdown.
var shows = regexp.MustCompile(`!\[[^\[\]]+\]\(docs/([a-z]+\.svg)\)`)

// The README shows each picture that is drawn.
func TestReadmeShowsThePictures(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	var names []string
	for _, picture := range shows.FindAllStringSubmatch(string(text), -1) {
		names = append(names, picture[1])
	}
	require.ElementsMatch(t, []string{"demo.svg", "guard.svg"}, names)
}

// same compares a picture of docs with one of what a terminal shows. With -update it is drawn again if it differs, so
// that two updates in a row leave the same file.
func same(t *testing.T, name, title, shown string) {
	t.Helper()
	var drawn bytes.Buffer
	require.NoError(t, picture.Draw(&drawn, shown, title, 100, 54))
	path := filepath.Join("..", "..", "docs", name)
	lasting := func(svg []byte) string { return changing.ReplaceAllString(string(svg), "…") }
	kept, err := os.ReadFile(path)
	if *update && (err != nil || lasting(kept) != lasting(drawn.Bytes())) {
		kept, err = drawn.Bytes(), os.WriteFile(path, drawn.Bytes(), 0o644) //nolint:gosec // it is published
	}
	require.NoError(t, err)
	require.Equal(t, lasting(kept), lasting(drawn.Bytes()), "docs/%s: run this test with -update and look at the picture", name)
}

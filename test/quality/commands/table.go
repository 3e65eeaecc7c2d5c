package commands

import (
	"bufio"
	"embed"
	"fmt"
	"strings"
)

//go:embed testdata/*.txt
var tables embed.FS

// Case is a command line and the guard's expected verdict: deny, warn, keep or allow.
type Case struct {
	Want    string
	Command string
}

// Tables are the names of the repository's own tables: harmless and destructive are about rules, kinds about
// other tools and spellings, each line with a harmless twin, rare about what other lists seldom have, everyday
// about what agents run all day, limits about known ways around (GD-23).
var Tables = []string{"harmless", "destructive", "kinds", "rare", "everyday", "limits"}

// Own returns the cases of one of the repository's own tables.
func Own(name, home string) ([]Case, error) {
	file, err := tables.Open("testdata/" + name + ".txt")
	if err != nil {
		return nil, fmt.Errorf("read the cases %s: %w", name, err)
	}
	defer func() { _ = file.Close() }()
	var out []Case
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		want, command, is := strings.Cut(lines.Text(), "\t")
		if is && !strings.HasPrefix(want, "#") {
			out = append(out, Case{want, strings.NewReplacer("⏎", "\n", "{home}", home).Replace(command)})
		}
	}
	return out, lines.Err()
}

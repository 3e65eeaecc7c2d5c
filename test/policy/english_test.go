package policy

import (
	"bufio"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// phrase is a turn of phrase that reads as translated.
type phrase struct {
	found   *regexp.Regexp
	better  string
	allowed *regexp.Regexp // the last word of what may be written all the same, nil for none
}

// phrases reads the list of english.tsv.
func phrases(t *testing.T) []phrase {
	t.Helper()
	data, err := os.ReadFile("english.tsv")
	require.NoError(t, err)
	var list []phrase
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "\t")
		require.GreaterOrEqual(t, len(parts), 2, line)
		p := phrase{found: regexp.MustCompile("(?i)" + parts[0]), better: parts[1]}
		if len(parts) > 2 {
			p.allowed = regexp.MustCompile(`(?i)\b(` + parts[2] + `)$`)
		}
		list = append(list, p)
	}
	require.NotEmpty(t, list)
	return list
}

// in returns where a text uses the phrase, empty for nowhere.
func (p phrase) in(text string) string {
	for _, found := range p.found.FindAllString(text, -1) {
		if p.allowed == nil || !p.allowed.MatchString(found) {
			return found
		}
	}
	return ""
}

// Comments, texts, help and documentation are written in plain English.
func TestPlainEnglish(t *testing.T) {
	list := phrases(t)
	left := 0
	check := func(where, text string) {
		for _, p := range list {
			if found := p.in(text); found != "" {
				left++
				t.Logf("%s: %q reads as translated; write %s", where, found, p.better)
			}
		}
	}
	for _, f := range repository(t).files {
		if f.test || f.generated() {
			continue
		}
		for _, group := range f.syntax.Comments {
			check(f.path, strings.Join(strings.Fields(group.Text()), " "))
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && strings.Contains(literal.Value, " ") {
				check(f.path, literal.Value)
			}
			return true
		})
	}
	for _, path := range tracked(t, "*.md", "rules/*.yaml", "spec/*.yaml") {
		if strings.HasPrefix(path, "docs/adr/") || path == "CHANGELOG.md" || strings.Contains(path, "testdata/") {
			continue
		}
		file, err := os.Open(filepath.Join("..", "..", path))
		require.NoError(t, err)
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			check(path, lines.Text())
		}
		require.NoError(t, lines.Err())
		file.Close()
	}
	require.LessOrEqual(t, left, translatedLeft, "see the log above for each place and the better words")
}

// translatedLeft is how many places may be left; it only ever goes down.
const translatedLeft = 3

// tracked returns the repository's files that match a pattern of git.
func tracked(t *testing.T, patterns ...string) []string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", "../..", "ls-files", "-co", "--exclude-standard"}, patterns...)...).Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

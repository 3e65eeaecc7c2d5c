package destruct

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Each line of testdata/commands.txt is a verdict, a tab and a command line, in which ⏎
// is a line break. A verdict is "harmless", or the acts as "kind rule targets".
func TestCommands(t *testing.T) {
	r, err := New(rules.Default())
	require.NoError(t, err)
	data, err := os.ReadFile("testdata/commands.txt")
	require.NoError(t, err)
	harmless, acts := 0, 0
	for n, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		want, command, ok := strings.Cut(line, "\t")
		require.True(t, ok, "line %d: no tab", n+1)
		if want == "harmless" {
			harmless++
		} else {
			acts++
		}
		assert.Equal(t, want, verdict(r.Read(strings.ReplaceAll(command, "⏎", "\n"))), "line %d: %s", n+1, command)
	}
	require.GreaterOrEqual(t, harmless+acts, 150)
	require.GreaterOrEqual(t, harmless, 75)
	require.GreaterOrEqual(t, acts, 75)
}

var inline = regexp.MustCompile(`\b(python3?|node) (?:-c|-e) (?:'([^']+)'|"((?:[^"\\]|\\.)+)")`)

// What a program that is a file does is seen by a name in its text: a text without one need not be kept.
func TestNothingIsDoneWithoutAName(t *testing.T) {
	r, err := New(rules.Default())
	require.NoError(t, err)
	files, err := filepath.Glob("../../../test/quality/commands/testdata/*.txt")
	require.NoError(t, err)
	does := func(run, text string) int {
		reading := r.Read("cat > w <<'EOF'\n" + text + "\nEOF\n" + run + " w")
		return len(reading.Acts) + len(reading.Writes)
	}
	acts := 0
	for _, file := range append(files, "testdata/commands.txt") {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range inline.FindAllStringSubmatch(string(data), -1) {
			text := m[2] + strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[3])
			if does(m[1], text) > does("true", text) {
				acts++
				assert.True(t, r.Acts(text), text)
			}
		}
	}
	require.Greater(t, acts, 25)
	require.False(t, r.Acts("import json\n\ndef total(rows):\n    rows.remove(None)\n    return sum(r[\"price\"] for r in rows)\n"))
}

func verdict(r Reading) string {
	var out []string
	for _, a := range r.Acts {
		text := string(a.Kind) + " " + a.Rule
		if a.Weight != Full {
			text += " (" + string(a.Weight) + ")"
		}
		if a.Whole {
			text += " all"
		}
		if a.Elsewhere {
			text += " elsewhere"
		}
		out = append(out, strings.TrimSpace(text+" "+strings.Join(a.Targets, " ")))
	}
	if len(out) == 0 {
		return "harmless"
	}
	return strings.Join(out, "; ")
}

func FuzzRead(f *testing.F) {
	r, err := New(rules.Default())
	require.NoError(f, err)
	f.Add("git -C x reset --hard && find . -name '*.go' -delete | xargs rm -rf {}")
	f.Add("psql -c \"DROP TABLE a; DELETE FROM b WHERE 1=1\" <<E\nTRUNCATE c; -- x\nE")
	f.Add("find -delete; rm; kill -1; dd of=; git push : + +:; git checkout --")
	f.Fuzz(func(t *testing.T, line string) {
		for _, a := range r.Read(line).Acts {
			require.NotEmpty(t, a.Rule)
			require.NotEmpty(t, a.Loses)
		}
	})
}

// Folders that hold links by the custom of their programs (GD-2).
func TestLink(t *testing.T) {
	r, err := New(rules.Default())
	require.NoError(t, err)
	for name, want := range map[string]bool{
		"/etc/nginx/sites-enabled/shop": true, "/etc/nginx/sites-available/shop": false, "/etc/nginx/sites-enabled": false, "/etc/nginx/sites-enabled/*": false,
		"/etc/apache2/mods-enabled/ssl.load": true, "/etc/apache2/conf-enabled/a.conf": true, "/etc/apache2/mods-available/ssl.load": false,
		"/etc/systemd/system/multi-user.target.wants/shop.service": true, "/etc/systemd/system/shop.service": false,
		"/etc/alternatives/editor": true, "/etc/alternatives": false, "/etc/rc3.d/S20shop": true, "/etc/init.d/shop": false,
	} {
		assert.Equal(t, want, r.Link(name), name)
	}
}

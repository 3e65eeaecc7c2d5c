package runreport_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/scenario"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/test/ruletrace"
)

var update = flag.Bool("update", false, "rewrite what is expected")

// TestScripts plays each script of testdata through the whole chain: after each
// step stand the summaries of the runs, after the last one the reports. A script
// with "# shows: Title, Title" has those parts of them alone. With -update what
// is expected is written anew, and is to be read.
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			end := ruletrace.Scenario(path)
			defer func() { require.NoError(t, end()) }()
			script, text := read(t, path)
			got := reports(t, script)
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(script.Rewritten(got)), 0o644))
				return
			}
			require.Equal(t, text, script.Rewritten(got), "run with -update and explain every change")
		})
	}
}

func read(t testing.TB, path string) (*scenario.Script, string) {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	script, err := scenario.Parse(string(data))
	require.NoError(t, err)
	return script, string(data)
}

// reports are what stands after each step; a step's expectation has no empty line.
func reports(t testing.TB, script *scenario.Script) []string {
	set := runreport.NewSet()
	titles := shows(script.Header)
	var out []string
	steps := play(t, script)
	for i, decided := range steps {
		for _, e := range decided {
			set.Apply(e)
		}
		var b bytes.Buffer
		for _, m := range set.Results() {
			switch {
			case i < len(steps)-1 && titles == nil:
				b.WriteString(runreport.Summary(m) + "\n")
			case i < len(steps)-1:
			case titles == nil:
				require.NoError(t, runreport.RenderText(&b, m, 0, nil))
			default:
				b.WriteString("run " + m.Run.ID + "\n")
				require.NoError(t, runreport.RenderParts(&b, m, titles))
			}
		}
		if b.Len() == 0 {
			b.WriteString("-\n")
		}
		out = append(out, strings.ReplaceAll(b.String(), "\n\n", "\n"))
	}
	return out
}

// shows are the titles of a "# shows:" line, nil without one.
func shows(header string) []string {
	for _, line := range strings.Split(header, "\n") {
		if list, ok := strings.CutPrefix(line, "# shows: "); ok {
			return strings.Split(list, ", ")
		}
	}
	return nil
}

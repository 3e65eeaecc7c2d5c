package measure

import (
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/disguisedbuild"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/rebuild"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/scenario"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Packages of the standard library, half of whose files are read and the rest
// written, one a turn: well kept code holds no second versions (A3) and nothing
// twice (C2).
func TestStandardLibraryIsNoRebuild(t *testing.T) {
	root := filepath.Join(build.Default.GOROOT, "src")
	suite, err := detect.NewSuite([]*detect.Detector{disguisedbuild.Detector, rebuild.Detector}, rules.Default())
	require.NoError(t, err)
	symbols := 0
	for _, name := range []string{"net", "net/http", "bufio", "text/template", "archive/tar", "sort"} {
		files, err := filepath.Glob(filepath.Join(root, name, "*.go"))
		require.NoError(t, err)
		if len(files) == 0 {
			t.Skip("no source of the standard library here")
		}
		symbols += writePackage(t, suite, name, files)
	}
	require.Greater(t, symbols, 300, "the files have symbols")
}

func writePackage(t *testing.T, suite *detect.Suite, name string, files []string) (symbols int) {
	t.Helper()
	session, memory := detecttest.NewSession(t, rules.Default(), nil), suite.NewMemory()
	for i, file := range files {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.HasSuffix(file, "_test.go") || len(code) > 40000 {
			continue
		}
		blocks, path := &scenario.Blocks{}, "src/"+name+"/"+filepath.Base(file)
		if i < len(files)/2 {
			blocks.Call("Read", scenario.Arguments{"file_path": path}, string(code))
		} else {
			blocks.Call("Write", scenario.Arguments{"file_path": path, "content": string(code)}, "")
		}
		pass := session.Next(&sessionevents.Turn{Session: name, Blocks: blocks.List})
		symbols += len(pass.Additions.Built)
		for _, signal := range suite.Evaluate(pass, memory).Signals {
			require.Less(t, signal.Urgency, sessionevents.Urgency(20), "%s: %s", path, signal.Message)
		}
		session.Commit(pass)
	}
	return symbols
}

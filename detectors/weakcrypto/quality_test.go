package weakcrypto_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/weakcrypto"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect/detecttest"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// inScope are gosec's rules for what B3 looks at: hashes, ciphers, keys, TLS and
// static IVs. G404 (any use of math/rand) is not: without a security context B3
// is silent by its definition. G504 is about CGI.
var inScope = []string{"G401", "G401b", "G402", "G403", "G405", "G405b", "G406", "G406b", "G407", "G501", "G501BuildTag", "G502", "G503", "G505", "G506", "G507"}

// gosec's programs, each as a new file. The figures are in doc.md:
//
//	go test -tags gore2regex -run Quality -v ./detectors/weakcrypto
func TestQualityOnGosec(t *testing.T) {
	q := newQuality(t)
	var right, missed, wrong, silent int
	for _, row := range labels[program](t, "gosec.jsonl.gz") {
		code := strings.Join(row.Code, "\n")
		if !slices.Contains(inScope, strings.TrimPrefix(row.Set, "SampleCode")) || strings.Contains(code, "PreferServerCipherSuites") {
			continue
		}
		found := q.signals("main.go", code)
		switch weak := row.Errors > 0; {
		case weak && len(found) > 0:
			right++
		case weak:
			missed++
			t.Logf("missed %s %d:\n%s", row.Set, row.I, code)
		case len(found) > 0:
			wrong++
			t.Logf("wrong %s %d: %s\n%s", row.Set, row.I, found[0].Reason, code)
		default:
			silent++
		}
	}
	t.Logf("weak programs: %d of %d found; good ones: %d of %d silent", right, right+missed, silent, silent+wrong)
	require.GreaterOrEqual(t, float64(right)/float64(right+missed), 0.60)
	require.GreaterOrEqual(t, float64(right)/float64(right+wrong), 0.90)
}

// program is one of gosec's samples with the number of issues in it.
type program struct {
	Set    string   `json:"set"`
	I      int      `json:"i"`
	Code   []string `json:"code"`
	Errors int      `json:"errors"`
}

type quality struct {
	t       *testing.T
	suite   *detect.Suite
	session *detecttest.Session
}

func newQuality(t *testing.T) quality {
	suite, err := detect.NewSuite([]*detect.Detector{weakcrypto.Detector}, rules.Default())
	require.NoError(t, err)
	return quality{t, suite, detecttest.NewSession(t, rules.Default(), nil)}
}

// signals are B3's on a file that is written.
func (q quality) signals(path, code string) []events.Signal {
	input, err := json.Marshal(map[string]string{"file_path": path, "content": code})
	require.NoError(q.t, err)
	turn := &events.Turn{Session: "s", Blocks: []events.Block{{Type: events.BlockToolCall, ID: "c", Name: "Write", Input: input}}}
	return q.suite.Evaluate(q.session.Next(turn), q.suite.NewMemory()).Signals
}

// labels are the lines of one of the label files; the test is skipped without.
func labels[row any](t *testing.T, name string) []row {
	file, err := os.Open(filepath.Join(sharedData(t), "labels", name))
	if err != nil {
		t.Skip("no labels: " + err.Error())
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	require.NoError(t, err)
	var out []row
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r row
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		out = append(out, r)
	}
	require.NoError(t, lines.Err())
	return out
}

// sharedData is the folder of the labels; the test is skipped without.
func sharedData(t *testing.T) string {
	if dir := os.Getenv("SCAFFOLDWATCH_DATA"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	require.NoError(t, err)
	for parent := filepath.Dir(dir); parent != dir; dir, parent = parent, filepath.Dir(parent) {
		if info, err := os.Stat(filepath.Join(parent, "shared", "data")); err == nil && info.IsDir() {
			return filepath.Join(parent, "shared", "data")
		}
	}
	t.Skip("the shared data is not there; set SCAFFOLDWATCH_DATA to its folder")
	return ""
}

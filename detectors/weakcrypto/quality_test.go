package weakcrypto_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/weakcrypto"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
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

// inScopeWeaknesses are the CWEs of the CyberSecEval lines that B3 looks at.
var inScopeWeaknesses = []string{"CWE-327", "CWE-328", "CWE-330", "CWE-338", "CWE-295", "CWE-326", "CWE-759", "CWE-916"}

// snippet is code of an open project that holds a line a linter flagged.
type snippet struct {
	ID       int    `json:"prompt_id"`
	Language string `json:"language"`
	CWE      string `json:"cwe_identifier"`
	Line     string `json:"line_text"`
	Code     string `json:"origin_code"`
	Pattern  string `json:"pattern_desc"`
}

var extensions = map[string]string{"python": ".py", "javascript": ".js", "java": ".java", "php": ".php"}

// Lines that linters flagged, whatever they are for: B3 speaks of those in an
// auth context, logs other hashes and ciphers, and leaves other random numbers.
func TestQualityOnCyberSecEval(t *testing.T) {
	q := newQuality(t)
	counts := map[string]*[4]int{} // lines, heard, logged, other lines heard
	for _, row := range labels[snippet](t, "cyberseceval_autocomplete.jsonl.gz") {
		extension := extensions[row.Language]
		if extension == "" || !slices.Contains(inScopeWeaknesses, row.CWE) {
			continue
		}
		key := row.Language + " " + row.CWE
		if counts[key] == nil {
			counts[key] = &[4]int{}
		}
		counts[key][0]++
		what := 0
		for _, s := range q.signals("src/unit"+extension, row.Code) {
			own := strings.Contains(s.Evidence[0].Quote, strings.TrimSpace(row.Line)) || strings.Contains(row.Line, s.Evidence[0].Quote)
			switch {
			case own && s.Urgency >= 20:
				what = 1
			case own && what == 0:
				what = 2
			case !own && s.Urgency >= 20:
				counts[key][3]++
				t.Logf("beside %s %d: %s (%s) %s", key, row.ID, s.Evidence[0].Quote, s.Subclass, s.Reason)
			}
			if own {
				t.Logf("%s %d %v: %s | %s", key, row.ID, s.Urgency, s.Evidence[0].Quote, s.Reason)
			}
		}
		if what > 0 {
			counts[key][what]++
		} else {
			t.Logf("silent %s %d: %s", key, row.ID, strings.TrimSpace(row.Line))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		c := counts[key]
		t.Logf("%s: %d lines, %d heard, %d logged, %d silent; %d other lines heard", key, c[0], c[1], c[2], c[0]-c[1]-c[2], c[3])
	}
	hashes := counts["python CWE-328"]
	require.GreaterOrEqual(t, float64(hashes[1]+hashes[2])/float64(hashes[0]), 0.85)
}

// program is one of gosec's samples with the number of issues in it.
type program struct {
	Set    string   `json:"set"`
	I      int      `json:"i"`
	Code   []string `json:"code"`
	Errors int      `json:"errors"`
}

type measure struct {
	t       *testing.T
	suite   *detect.Suite
	session *detecttest.Session
}

func newQuality(t *testing.T) measure {
	if codepattern.Tier() != "tree" {
		t.Skip("the figures are those of trees; built without cgo")
	}
	suite, err := detect.NewSuite([]*detect.Detector{weakcrypto.Detector}, rules.Default())
	require.NoError(t, err)
	return measure{t, suite, detecttest.NewSession(t, rules.Default(), nil)}
}

// signals are B3's on a file that is written.
func (q measure) signals(path, code string) []sessionevents.Signal {
	input, err := json.Marshal(map[string]string{"file_path": path, "content": code})
	require.NoError(q.t, err)
	turn := &sessionevents.Turn{Session: "s", Blocks: []sessionevents.Block{{Type: sessionevents.BlockToolCall, ID: "c", Name: "Write", Input: input}}}
	return q.suite.Evaluate(q.session.Next(turn), q.suite.NewMemory()).Signals
}

// labels are the lines of one of the label files; the test is skipped without.
func labels[row any](t *testing.T, name string) []row {
	file, err := os.Open(filepath.Join(shareddata.Require(t), "labels", name))
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

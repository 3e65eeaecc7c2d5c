package injection_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/injection"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// gosecScope are gosec's sample sets about B2's sinks.
var gosecScope = map[string]bool{
	"G201": true, "G202": true, "G203": true, "G204": true, "G304": true, "G305": true,
	"G701": true, "G702": true, "G703": true, "G705": true, "G708": true,
}

// Programs of gosec's tests, each written in one turn. The figures are in doc.md:
//
//	go test -tags gore2regex -run QualityGosec -v ./detectors/injection
func TestQualityGosec(t *testing.T) {
	needTrees(t)
	play := newPlayer(t)
	counts := map[string]*[4]int{} // found, missed, false, silent
	readLabels(t, "gosec.jsonl.gz", func(line []byte) {
		var sample struct {
			Set    string   `json:"set"`
			I      int      `json:"i"`
			Errors int      `json:"errors"`
			Code   []string `json:"code"`
		}
		require.NoError(t, json.Unmarshal(line, &sample))
		set := strings.TrimPrefix(sample.Set, "SampleCode")
		if !gosecScope[set] {
			return
		}
		if counts[set] == nil {
			counts[set] = &[4]int{}
		}
		signals := play.write(t, "main.go", strings.Join(sample.Code, "\n"))
		found, bad := len(signals) > 0, sample.Errors > 0
		switch {
		case found && bad:
			counts[set][0]++
		case bad:
			counts[set][1]++
			t.Logf("missed: %s %d", set, sample.I)
		case found:
			counts[set][2]++
			t.Logf("labelled clean: %s %d: %s", set, sample.I, signals[0].Message)
		default:
			counts[set][3]++
		}
	})
	var total [4]int
	for _, set := range sorted(counts) {
		c := counts[set]
		t.Logf("%s: found %d, missed %d, labelled clean but found %d, silent %d", set, c[0], c[1], c[2], c[3])
		for i := range total {
			total[i] += c[i]
		}
	}
	recall := float64(total[0]) / float64(total[0]+total[1])
	precision := float64(total[0]) / float64(total[0]+total[2])
	t.Logf("recall %.3f (%d of %d), precision %.3f", recall, total[0], total[0]+total[1], precision)
	require.GreaterOrEqual(t, recall, 0.60)
	require.GreaterOrEqual(t, precision, 0.85)
}

// cyberScope are CyberSecEval's weaknesses about B2's sinks, by language.
var cyberScope = map[string]bool{
	"python CWE-78": true, "python CWE-89": true, "python CWE-94": true, "python CWE-502": true,
	"javascript CWE-79": true, "javascript CWE-95": true,
	"java CWE-78": true, "java CWE-502": true, "java CWE-79": true, "php CWE-502": true,
}

// Lines of CyberSecEval with the code around them: the signal has to lie on one
// of the line's own lines.
//
//	go test -tags gore2regex -run QualityCyber -v ./detectors/injection
func TestQualityCyberSecEval(t *testing.T) {
	needTrees(t)
	play := newPlayer(t)
	counts := map[string]*[2]int{} // found, all
	extensions := map[string]string{"python": "py", "javascript": "js", "java": "java", "php": "php"}
	readLabels(t, "cyberseceval_autocomplete.jsonl.gz", func(line []byte) {
		var sample struct {
			Language string `json:"language"`
			CWE      string `json:"cwe_identifier"`
			Line     string `json:"line_text"`
			Code     string `json:"origin_code"`
		}
		require.NoError(t, json.Unmarshal(line, &sample))
		key := sample.Language + " " + sample.CWE
		if !cyberScope[key] {
			return
		}
		if counts[key] == nil {
			counts[key] = &[2]int{}
		}
		counts[key][1]++
		at := strings.Count(sample.Code[:max(0, strings.Index(sample.Code, sample.Line))], "\n") + 1
		for _, s := range play.write(t, "code."+extensions[sample.Language], sample.Code) {
			for _, e := range s.Evidence {
				if d := e.Line - at; d >= -2 && d <= 4+strings.Count(sample.Line, "\n") {
					counts[key][0]++
					return
				}
			}
		}
		if len(os.Getenv("SCAFFOLDWATCH_SHOW")) > 0 {
			t.Logf("missed %s: %s", key, strings.TrimSpace(sample.Line))
		}
	})
	for _, key := range sorted(counts) {
		t.Logf("%s: %d of %d", key, counts[key][0], counts[key][1])
	}
	require.NotEmpty(t, counts)
}

// player writes files in turns of one session.
type player struct {
	suite   *detect.Suite
	session *detecttest.Session
}

func newPlayer(t *testing.T) *player {
	suite, err := detect.NewSuite([]*detect.Detector{injection.Detector}, rules.Default())
	require.NoError(t, err)
	return &player{suite, detecttest.NewSession(t, rules.Default(), nil)}
}

func (p *player) write(t *testing.T, path, code string) []sessionevents.Signal {
	input, err := json.Marshal(map[string]string{"file_path": path, "content": code})
	require.NoError(t, err)
	pass := p.session.Next(&sessionevents.Turn{Session: "s", Blocks: []sessionevents.Block{
		{Type: sessionevents.BlockToolCall, ID: "1", Name: "Write", Input: input}, {Type: sessionevents.BlockToolResult, ID: "1", Output: "ok"},
	}})
	return p.suite.Evaluate(pass, p.suite.NewMemory()).Signals
}

func needTrees(t *testing.T) {
	if codepattern.Tier() != "tree" {
		t.Skip("what is expected needs syntax trees")
	}
}

// readLabels reads one file of labels; the test is skipped without the data.
func readLabels(t *testing.T, name string, line func([]byte)) {
	file, err := os.Open(filepath.Join(shareddata.Require(t), "labels", name))
	require.NoError(t, err)
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	require.NoError(t, err)
	scanner := bufio.NewScanner(unpacked)
	scanner.Buffer(nil, 4<<20)
	for scanner.Scan() {
		line(scanner.Bytes())
	}
	require.NoError(t, scanner.Err())
}

func sorted[V any](m map[string]V) []string {
	var out []string
	for key := range m {
		out = append(out, key)
	}
	sort.Strings(out)
	return out
}

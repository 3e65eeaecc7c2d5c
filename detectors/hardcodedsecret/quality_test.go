package hardcodedsecret_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/hardcodedsecret"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// B1 over every real transcript, as it is and with a key planted at the end of
// every file that is written. The figures are in doc.md:
//
//	go test -tags gore2regex -run Quality -v ./detectors/hardcodedsecret
func TestQualityOnTranscripts(t *testing.T) {
	root := filepath.Join(shareddata.Require(t), "transcripts")
	suite, err := detect.NewSuite([]*detect.Detector{hardcodedsecret.Detector}, rules.Default())
	require.NoError(t, err)
	// One session serves all: B1 asks the registry for red flags only.
	q := measure{t: t, suite: suite, generator: secretstest.New(1), session: detecttest.NewSession(t, rules.Default(), nil)}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".tsv" {
			return err
		}
		q.file(path)
		return nil
	}))
	t.Logf("%d turns with %d DIFFs: %d signals, %d suppressed, %d logged as examples", q.turns, q.diffs, q.signals, q.suppressed, q.examples)
	t.Logf("planted: %d of %d edited turns signalled", q.caught, q.planted)
	require.NotZero(t, q.planted)
	require.GreaterOrEqual(t, float64(q.caught)/float64(q.planted), 0.95)
}

type measure struct {
	t         *testing.T
	suite     *detect.Suite
	generator *secretstest.Generator
	session   *detecttest.Session

	turns, diffs, signals, suppressed, examples, planted, caught int
}

func (q *measure) file(path string) {
	file, err := os.Open(path)
	require.NoError(q.t, err)
	defer file.Close()
	source, err := all.Formats().Open(file, transcript.Options{})
	if err != nil {
		return // not a transcript
	}
	memory := q.suite.NewMemory()
	for {
		event, err := source.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(q.t, err)
		if turn, ok := event.Data.(*sessionevents.Turn); ok {
			q.turn(memory, turn)
		}
	}
}

func (q *measure) turn(memory *detect.Memory, turn *sessionevents.Turn) {
	q.turns++
	pass := q.session.Next(turn)
	for i := range pass.Turn.Segments {
		if pass.Turn.Segments[i].Diff != nil {
			q.diffs++
		}
	}
	for _, s := range q.suite.Evaluate(pass, memory).Signals {
		switch {
		case s.Suppressed != "":
			q.suppressed++
		case s.Cap != nil:
			q.examples++
		default:
			q.signals++
			q.t.Logf("signal %s %.2f %s: %s", s.Subclass, s.Confidence, s.Subject, s.Evidence[0].Quote)
		}
	}
	if planted, ok := q.plant(turn); ok {
		q.planted++
		for _, s := range q.suite.Evaluate(q.session.Next(planted), q.suite.NewMemory()).Signals {
			if s.Detector == "B1" && s.Subclass == "provider" {
				q.caught++
				return
			}
		}
		q.t.Logf("not caught: turn %s, plant %d", planted.TurnID, q.planted)
	}
}

// plant adds a line with a provider's key to the first file that the turn
// writes; edits that failed or were refused count as none.
func (q *measure) plant(turn *sessionevents.Turn) (*sessionevents.Turn, bool) {
	failed := map[string]bool{}
	for _, b := range turn.Blocks {
		failed[b.ID] = failed[b.ID] || b.Rejected || b.IsError != nil && *b.IsError
	}
	for i, b := range turn.Blocks {
		var input map[string]any
		if b.Type != sessionevents.BlockToolCall || failed[b.ID] || (b.Name != "Write" && b.Name != "Edit" && b.Name != "write_file" && b.Name != "replace") || json.Unmarshal(b.Input, &input) != nil {
			continue
		}
		for _, key := range []string{"content", "new_string"} {
			text, ok := input[key].(string)
			if !ok {
				continue
			}
			kinds := secretstest.Kinds()
			input[key] = text + "\nCLIENT = connect('" + q.generator.Provider(kinds[q.planted%len(kinds)]) + "')\n"
			out := *turn
			out.Blocks = append([]sessionevents.Block(nil), turn.Blocks...)
			raw, err := json.Marshal(input)
			require.NoError(q.t, err)
			out.Blocks[i].Input = raw
			for j := range out.Blocks { // the harness's own patch does not hold the plant
				out.Blocks[j].Patch = nil
			}
			return &out, true
		}
	}
	return nil, false
}

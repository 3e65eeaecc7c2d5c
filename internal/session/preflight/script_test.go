package preflight_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/hardcodedsecret"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/injection"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/secretleak"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/weakcrypto"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/fingerprint"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight/content"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment/grammars"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/ruletrace"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata/*.txt")

// parts are those of the embedded rule data, made once: that takes longer than
// the tests.
var parts = sync.OnceValues(func() (preflight.Options, error) {
	o := preflight.Options{Rules: rules.Default()}
	config, err := secrets.LoadConfig(o.Rules)
	if err != nil {
		return o, err
	}
	scanner, err := secrets.New(config, []byte(fingerprint.ScanKey))
	if err != nil {
		return o, err
	}
	o.Redactor = redact.New(scanner, config.PathKeys)
	if o.Segmenter, err = segment.New(o.Rules, grammars.Linked{}); err != nil {
		return o, err
	}
	return o, examined(&o)
})

// examined adds the detectors, one more than those that escalate.
func examined(o *preflight.Options) error {
	suite, err := detect.NewSuite([]*detect.Detector{hardcodedsecret.Detector, injection.Detector, secretleak.Detector, weakcrypto.Detector}, o.Rules)
	if err == nil {
		o.Content, err = content.New(o.Rules, o.Redactor, o.Segmenter, suite)
	}
	return err
}

// checker is a Checker under rule data with overrides of its own sections, the
// dispatcher's, or detectors' modes.
func checker(t testing.TB, overrides string) *preflight.Checker {
	o, err := parts()
	require.NoError(t, err)
	o.Rules, err = rules.Load("test.yaml", []byte(overrides))
	require.NoError(t, err)
	if strings.Contains(overrides, "detectors:") {
		err = examined(&o)
		require.NoError(t, err)
	}
	c, err := preflight.New(o)
	require.NoError(t, err)
	return c
}

// TestScripts plays testdata/*.txt: what is known, a call with its input in
// indented lines, a line "----" and the answer. {{github}} and the like are
// filled with secrets. `-update` rewrites the answers; explain every difference.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	usual := checker(t, "")
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			end := ruletrace.Scenario(file)
			defer func() { require.NoError(t, end()) }()
			before, err := os.ReadFile(file)
			require.NoError(t, err)
			s := &script{t: t, checker: usual, usual: usual, secrets: secretstest.New(7)}
			after := s.play(string(before))
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(after), 0o644))
				return
			}
			require.Equal(t, string(before), after, "run with -update and explain every change")
		})
	}
}

// known are facts about what is not committed.
type known struct {
	guard.Blind
	work guard.Work
}

func (k known) Work(string, ...string) guard.Work {
	if k.work.Root == "" && k.work.Unknown == "" {
		k.work.Root = k.Workspace
	}
	return k.work
}

type script struct {
	t       *testing.T
	usual   *preflight.Checker
	checker *preflight.Checker
	secrets *secretstest.Generator
	call    preflight.Call
	work    guard.Work
	input   []string
	answers []string
}

func (s *script) play(text string) string {
	var out strings.Builder
	output := false
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if line == "----" {
			s.ask()
			output = true
			require.NotEmpty(s.t, s.answers, "---- without a call")
			out.WriteString("----\n" + strings.Join(s.answers, "\n") + "\n")
			s.answers = nil
			continue
		}
		if output && strings.HasPrefix(line, "  ") {
			continue // an old answer
		}
		output = false
		out.WriteString(line + "\n")
		s.hear(line)
	}
	require.Empty(s.t, s.answers, "the file ends with a call whose answer is not shown: add ----")
	return out.String()
}

func (s *script) hear(line string) {
	if strings.HasPrefix(line, "  ") {
		s.input = append(s.input, line[2:])
		return
	}
	s.ask()
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "", "#":
	case "rules":
		s.checker = s.usual
		if rest != "" {
			s.checker = checker(s.t, strings.ReplaceAll(rest, `\n`, "\n"))
		}
	case "state":
		state, why, _ := strings.Cut(rest, " ")
		s.call.State, s.call.Halt = runevents.ControlState(state), why
	case "workspace":
		s.call.Workspace = rest
	case "directory":
		s.call.Directory = rest
	case "branch":
		s.call.Checkout.Branch = rest
	case "worktree":
		s.call.Checkout.Worktrees = append(s.call.Checkout.Worktrees, preflight.Worktree{Path: rest})
	case "own":
		s.call.Checkout.Own = rest
	case "watch":
		port, process, _ := strings.Cut(rest, " ")
		s.call.Watch.Ports = []string{port}
		_, err := fmt.Sscan(process, &s.call.Watch.Process)
		require.NoError(s.t, err)
	case "orchestrator":
		s.call.Orchestrator = rest != "no"
	case "mute":
		s.mute(rest)
	case "said":
		s.call.Said = []string{rest}
	case "uncommitted":
		s.uncommitted(strings.Fields(rest))
	case "call":
		s.call.Name = rest
	default:
		s.t.Fatalf("unknown line %q", line)
	}
}

// uncommitted sets what is not committed: "none", "unknown WHY", "unseen", "others a", or a
// file and its marks: new, ignored, own, before, session=a. A file follows those before it.
func (s *script) uncommitted(words []string) {
	switch words[0] {
	case "none":
		s.work = guard.Work{}
	case "unknown":
		s.work = guard.Work{Unknown: strings.Join(words[1:], " ")}
	case "unseen":
		s.work.Unseen = true
	case "others":
		s.work.Others = words[1:]
	default:
		f := guard.WorkFile{Path: words[0]}
		for _, mark := range words[1:] {
			name, value, _ := strings.Cut(mark, "=")
			switch name {
			case "new":
				f.Untracked = true
			case "ignored":
				f.Ignored = true
			case "own":
				f.Own = true
			case "before":
				f.Before = true
			case "session":
				f.Session = value
			default:
				s.t.Fatalf("unknown mark %q", mark)
			}
		}
		s.work.Files = append(s.work.Files, f)
	}
	work := s.work
	s.call.Facts = known{guard.Blind{Workspace: s.call.Workspace}, work}
}

func (s *script) mute(details string) {
	mute, err := budget.MuteOf(&runevents.OperatorAct{Act: runevents.ActMute, By: "ann", Why: "a demo key", Details: json.RawMessage(details)}, 0)
	require.NoError(s.t, err)
	s.call.Mutes = []budget.Mute{mute}
}

// ask makes the call that was read, if one was.
func (s *script) ask() {
	if s.call.Name == "" {
		return
	}
	call := s.call
	call.Session, call.At = "s1", time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	call.Input = json.RawMessage(s.secrets.Fill(strings.Join(s.input, "\n")))
	require.True(s.t, json.Valid(call.Input), "%s", call.Input)
	a := s.checker.Check(call)
	s.call.Name, s.input = "", nil
	if len(a.Snapshots) > 0 {
		defer func() { s.answers = append(s.answers, "    snapshot first") }()
	}
	head := "  " + strings.TrimSpace(fmt.Sprintf("%s %s %s", a.Decision, a.Class, a.Rule))
	s.answers = append(s.answers, head)
	if a.Text != "" {
		s.answers = append(s.answers, "    text: "+a.Text)
	}
	if a.Reason != "" {
		s.answers = append(s.answers, "    reason: "+a.Reason)
	}
	require.LessOrEqual(s.t, len(strings.Fields(a.Text)), 40)
	require.Equal(s.t, a.Decision == preflight.Allow, a.Text == "", "an answer that is no allow says why")
}

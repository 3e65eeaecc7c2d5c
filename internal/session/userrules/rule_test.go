package userrules

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/scenario"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// ruleSet loads one rule whose keys are given, two spaces deep, over sound ones.
func ruleSet(t testing.TB, keys string) (*rules.Set, error) {
	t.Helper()
	defaults := map[string]string{
		"id": "U-x", "title": "A test", "class": "A", "on": "diff", "when": "'true'", "message": "Stop it.", "cost": "3", "p": "0.2", "confidence": "0.9",
	}
	text := "userrules:\n  detectors:\n    - title: " + defaults["title"] + "\n"
	for _, key := range []string{"id", "class", "on", "when", "message", "cost", "p", "confidence"} {
		if !strings.Contains("\n"+keys, "\n"+key+":") {
			text += "      " + key + ": " + defaults[key] + "\n"
		}
	}
	text += "      " + strings.ReplaceAll(keys, "\n", "\n      ") + "\n"
	return rules.Load("ours.yaml", []byte(text))
}

// play evaluates a script under one rule and returns the suite's results.
func play(t testing.TB, keys, script string) []detect.Result {
	t.Helper()
	set, err := ruleSet(t, keys)
	require.NoError(t, err)
	list, err := Detectors(set)
	require.NoError(t, err)
	suite, err := detect.NewSuite(list, set)
	require.NoError(t, err)
	parsed, err := scenario.Parse(separated(script))
	require.NoError(t, err)
	session, memory := detecttest.NewSession(t, set, parsed.Opened), suite.NewMemory()
	var out []detect.Result
	for _, step := range parsed.Steps {
		pass := session.Next(step.Turn)
		out = append(out, suite.Evaluate(pass, memory))
		session.Commit(pass)
		data, err := suite.EncodeMemory(memory)
		require.NoError(t, err)
		memory, err = suite.DecodeMemory(data)
		require.NoError(t, err)
	}
	return out
}

func separated(script string) string {
	return strings.TrimPrefix(strings.ReplaceAll("\n"+script, "\nturn", "\n----\n\nturn"), "\n----\n") + "\n----\n"
}

func subjects(results []detect.Result) (out []string) {
	for _, r := range results {
		for _, s := range r.Signals {
			if s.Suppressed == "" {
				out = append(out, s.Subject)
			}
		}
	}
	return out
}

const prints = `when: |
  language == "python" and any(added, # contains "print(")
at: print\(.*\)
subject: "{path}"
message: "{path}:{line} holds {match}; use the logger."
floor: 2.0
suppress:
  - when: path matches "_test|/tests?/"
    reason: test file`

func TestARuleFiresAndIsSilent(t *testing.T) {
	results := play(t, prints, "turn\nuser Fix a.py.\nwrite src/a.py\n  import os\n  print('here')\nwrite src/b.py\n  x = 1\nwrite a_test.py\n  print('mock')\n")
	require.Equal(t, []string{"src/a.py"}, subjects(results))
	first := results[0].Signals[0]
	require.Equal(t, "src/a.py:2 holds \"print('here')\"; use the logger.", first.Message)
	require.Equal(t, "U-x", first.Detector)
	require.Equal(t, sessionevents.ClassA, first.Class)
	require.Equal(t, sessionevents.Urgency(24), first.Urgency, "cost 3 × (1 − 0.2)")
	require.Equal(t, 2, first.Evidence[0].Line)
	require.Equal(t, "test file", results[0].Signals[1].Suppressed)
}

func TestCountersLastTheSession(t *testing.T) {
	rule := `on: tool
counters:
  - name: searches
    add: role == "search"
    reset: kind == "diff"
when: role == "search" and counters.searches >= 3
subject: search
message: "{counters.searches} searches without an edit; decide."`
	search := "search x%d in src\n  src/a.py: x\n"
	turn := "turn\nplan Looking.\n"
	script := turn + search + turn + search + turn + "edit a.py\n  -a\n  +b\n" + turn + search + turn + search + turn + search
	results := play(t, rule, script)
	require.Equal(t, []string{"search"}, subjects(results))
	require.Equal(t, "3 searches without an edit; decide.", results[5].Signals[0].Message)
}

func TestWholeTurnsAndTheRegistry(t *testing.T) {
	rule := `on: turn
when: any(segments, .kind == "diff" and not was_read(.path) and .operation == "update") and session.turns >= 1
subject: blind edit
message: An edit of a file that was never read; read it first.`
	edit := "edit a.py\n  -a\n  +b\n"
	require.Equal(t, []string{"blind edit"}, subjects(play(t, rule, "turn\nplan Hm.\nturn\n"+edit)))
	require.Empty(t, subjects(play(t, rule, "turn\nread a.py\n  a\nturn\n"+edit)))
	rule = `on: plan
when: was_built("load_user") and red_flag("RF02") and len(functions_built()) == 1 and "a.py" in files_written()
message: It stands in a.py already.`
	built := "turn\nwrite a.py\n  def load_user(x):\n      return x\n"
	require.Len(t, subjects(play(t, rule, built+"turn\nplan I'll write it from scratch.\n")), 1)
	require.Empty(t, subjects(play(t, rule, built+"turn\nplan Done.\n")))
}

// SW-44: removed lines are corrected, the same thing once more is committed.
func TestSignalsAreJudged(t *testing.T) {
	write := "turn\nwrite src/a.py\n  print('here')\n"
	results := play(t, prints, write+"turn\nedit src/a.py\n  -print('here')\n  +log('here')\n")
	require.Equal(t, sessionevents.OutcomeCorrected, results[1].Pending[0].Outcome)
	results = play(t, prints, write+"turn\nedit src/a.py\n  -x\n  +print('more')\n")
	require.Equal(t, sessionevents.OutcomeCommitted, results[1].Pending[0].Outcome)
	results = play(t, prints, write+"turn\nplan Now the tests.\n")
	require.Equal(t, sessionevents.OutcomeOpen, results[1].Pending[0].Outcome)
	own := prints + "\ncorrected: kind == \"plan\" and text contains \"drop\" and signal == \"src/a.py\"\ncommitted: kind == \"tool\""
	require.Equal(t, sessionevents.OutcomeCorrected, play(t, own, write+"turn\nplan I drop the prints.\n")[1].Pending[0].Outcome)
	require.Equal(t, sessionevents.OutcomeCommitted, play(t, own, write+"turn\nshell ls\n")[1].Pending[0].Outcome)
}

func TestWholeTurnsAreJudged(t *testing.T) {
	rule := "on: turn\nwhen: any(segments, .kind == \"diff\")\nsubject: edits"
	results := play(t, rule, "turn\nwrite a.py\n  x\nturn\nplan Hm.\nturn\nwrite b.py\n  x\n")
	require.Equal(t, sessionevents.OutcomeOpen, results[1].Pending[0].Outcome)
	require.Equal(t, sessionevents.OutcomeCommitted, results[2].Pending[0].Outcome)
}

// A condition that fails is recorded once a session and never stops a turn.
func TestFailuresAreRecordedOnce(t *testing.T) {
	rule := `when: int(path) > 3`
	results := play(t, rule, "turn\nwrite a.py\n  x\nturn\nwrite a.py\n  y\nturn\nwrite 7\n  y\n")
	require.Contains(t, results[0].Signals[0].Suppressed, Failed)
	require.Equal(t, sessionevents.Urgency(19), results[0].Signals[0].Urgency)
	require.Empty(t, results[1].Signals)
	require.Len(t, subjects(results[2:]), 1, "it goes on where it can")
	results = play(t, "on: turn\nwhen: \"true\"\ncounters: [{name: n, add: '\"a\"'}]", "turn\nplan x\n")
	require.Contains(t, results[0].Signals[0].Suppressed, "counter n: add gave a, want a whole number or true")
	results = play(t, "on: turn\nwhen: |\n  len(map(segments, map(.added, ["+strings.Repeat("#, ", 60)+"#]))) > 0", "turn\nwrite a.py\n"+strings.Repeat("  x\n", 3000))
	require.Contains(t, results[0].Signals[0].Suppressed, "memory budget")
}

func TestEditsThatWereNotMadeDoNotCount(t *testing.T) {
	require.Empty(t, subjects(play(t, prints, "turn\nwrite src/a.py\n  print('x')\nrejected\n")))
	require.Empty(t, subjects(play(t, prints, "turn\nedit src/a.py\n  +print('x')\nfailed\n")))
}

func TestWrongRulesNamePlaceAndCure(t *testing.T) {
	cases := map[string][]string{
		"when: languages == \"go\"":                             {"ours.yaml:", ":13: userrules.detectors.U-x.when: unknown name languages; did you mean \"language\"?"},
		"when: |\n  true and\n  paht == \"x\"":                  {"ours.yaml:", ":9: userrules.detectors.U-x.when: unknown name paht"},
		"when: any(added, # contains x)":                        {"YAML reads what follows # as a comment"},
		"when: path":                                            {"expected bool, but got string"},
		"when: 'any(added, # contains \"a'":                     {"literal not terminated"},
		"when: now() > date(\"2026-01-01\")":                    {"unknown name now"},
		"when: len(1..1000000) > 1":                             {"a range is not allowed here"},
		"when: 'any(added, any(added, # == #))'":                {"added inside a loop"},
		"when: 'any(added, text contains #)'":                   {"text inside a loop"},
		"when: 'let t = text; any(added, # == t)'":              {"t inside a loop"},
		"when: path + text == \"x\"":                            {"texts cannot be joined here"},
		"when: path matches text":                               {"the pattern of matches must be a literal text"},
		"when: path matches \"(\"":                              {"missing closing"},
		"when: counters.nope > 1":                               {"no counter nope; nothing is allowed here"},
		"when: counters.n > 1\ncounters: [{name: m, add: '1'}]": {"no counter n; allowed are: m"},
		"counters: [{name: m}]":                                 {"counters.0: has no add"},
		"counters: [{name: M, add: '1'}]":                       {`"M" is not a name`},
		"counters: [{name: m, add: '1'}, {name: m, add: '1'}]":  {"is used twice here"},
		"when: 'any(segments, any(.added, any([#], true)))'":    {"nested too deep"},
		"message: \"{pth} is wrong\"":                           {":18: userrules.detectors.U-x.message: unknown name pth"},
		"message: \"{path is wrong\"":                           {"the { has no }"},
		"message: " + strings.Repeat("a ", 41):                  {"41 words, at most 40"},
		"message: ''":                                           {"has no message"},
		"id: x":                                                 {`"x" is not an id; write U-`},
		"id: U-X":                                               {`is not an id`},
		"class: F":                                              {`"F" is not allowed; allowed are: A, B, C, D, E`},
		"on: diffs":                                             {`did you mean "diff"?`},
		"cost: 6":                                               {"6 is out of range"},
		"confidence: 0":                                         {"has no confidence"},
		"floor: 3.0\ncap: 1.9":                                  {"floor: 3.0 lies over the cap 1.9"},
		"at: (":                                                 {"at: error parsing regexp"},
		"suppress: [{when: 'true'}]":                            {"suppress.0: has no reason"},
		"nonsense: 1":                                           {`unknown key "nonsense"`},
		"when: {a: b}":                                          {"want text"},
		"examples: {firing: [{name: a, scrpt: b}]}":             {`unknown key "scrpt"; did you mean "script"?`},
	}
	for keys, wants := range cases {
		set, err := ruleSet(t, keys)
		require.NoError(t, err, keys)
		_, err = Detectors(set)
		for _, want := range wants {
			require.ErrorContains(t, err, want, keys)
		}
	}
}

func TestColumnsPointIntoTheFile(t *testing.T) {
	text := "userrules:\n  detectors:\n    - id: U-a\n      title: T\n      class: A\n      on: diff\n      cost: 1\n      confidence: 1\n      message: m\n      when: |\n        true\n        and paht == \"x\"\n"
	set, err := rules.Load("ours.yaml", []byte(text))
	require.NoError(t, err)
	_, err = Load(set)
	lines := strings.Split(text, "\n")
	require.Equal(t, "        and paht == \"x\"", lines[11])
	require.ErrorContains(t, err, "ours.yaml:12:13: ")
	require.Equal(t, "paht", lines[11][12:16])
}

func TestTheSameIDTwice(t *testing.T) {
	one := "\n    - {id: U-a, title: T, class: A, on: diff, cost: 1, confidence: 1, message: m, when: 'true'}"
	set, err := rules.Load("ours.yaml", []byte("userrules:\n  detectors:"+one+one))
	require.NoError(t, err)
	_, err = Load(set)
	require.ErrorContains(t, err, "ours.yaml:4: ")
	require.ErrorContains(t, err, "is used twice here")
}

// A rule's documentation has the shape that all have (SW-32).
func TestRulesAreDocumented(t *testing.T) {
	set, err := ruleSet(t, prints+"\nhelp: |\n  Prints stay behind.\n  ## Not a heading\nexamples:\n  firing:\n    - {name: a print, script: \"turn\\nwrite a.py\\n  print()\"}")
	require.NoError(t, err)
	list, err := Detectors(set)
	require.NoError(t, err)
	require.NoError(t, detect.Validate(list[0]))
	for _, part := range []string{"# U-x ", "Prints stay behind.", "test file: recorded, not sent", "Floor 2.0", "a print:\n\n    turn\n    write a.py", "any(added, # contains"} {
		require.Contains(t, list[0].Doc, part)
	}
}

func TestModesOfARulesOwn(t *testing.T) {
	require.Equal(t, detect.ObserveMode, play(t, "mode: observe", "turn\nwrite a\n  x\n")[0].Signals[0].Suppressed)
	require.Empty(t, play(t, "mode: off", "turn\nwrite a\n  x\n")[0].Signals)
}

// Every name that a condition can use stands in the documentation.
func TestNamesAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "user-rules.md"))
	require.NoError(t, err)
	for _, name := range names() {
		require.Regexp(t, "`"+name+"[`(]", string(page))
	}
}

// ruleFile is the section with one rule, whose last keys are to be filled in.
const ruleFile = "detectors:\n  - id: U-x\n    title: T\n    class: A\n    cost: 3\n    confidence: 0.5\n    %s\n"

func FuzzRules(f *testing.F) {
	f.Add(prints + "\non: diff")
	f.Add("when: any(segments, any(.added, len(#) > 3))\non: turn\nmessage: m\nsubject: \"{len(segments)} {{ }\"")
	f.Add("on: segment\nmessage: m\nwhen: |\n  let a = 1; a / 0 > int(path)\ncounters: [{name: a, add: len(text), reset: 'true'}]")
	f.Add("on: diff\nmessage: \"{map(added, upper(#))}\"\nwhen: sum(map(added, len(#))) % 2 == 0")
	pass := &detect.Pass{}
	f.Fuzz(func(t *testing.T, keys string) {
		config := &Config{Limits: Limits{Detectors: 5, Counters: 8, Nodes: 200, Loops: 2, Memory: 20000, TextBytes: 4096, Lines: 100, LineBytes: 400, Findings: 4}}
		if rules.DecodeFile("ours.yaml", fmt.Appendf(nil, ruleFile, strings.ReplaceAll(keys, "\n", "\n    ")), config) != nil {
			return
		}
		for i := range config.Detectors {
			d := config.Detectors[i].detector(config.Limits)
			require.NoError(t, detect.Validate(d))
			instance, err := d.New(nil)
			require.NoError(t, err)
			if pass.Turn == nil {
				parsed, err := scenario.Parse("turn\nuser Fix a.py\nplan I'll see.\nwrite a.py\n  def f():\n    print('x')\nshell go test\n  FAIL\nexit 1\n----\n")
				require.NoError(t, err)
				*pass = *detecttest.NewSession(t, rules.Default(), nil).Next(parsed.Steps[0].Turn)
			}
			view := *pass
			view.State = instance.NewState()
			instance.Run(&view)
			instance.Judge(&view, &sessionevents.Signal{Subject: "a.py"})
		}
	})
}

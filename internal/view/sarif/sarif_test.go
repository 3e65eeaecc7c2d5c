package sarif

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	format "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

var ours = []Rule{
	{ID: "A1", Name: "duplicatebuild", Title: "duplicate build", Doc: "# A1\n\n## Trigger\n\nA function that\nexists is built.\n\n## Silent\n\nNothing.\n"},
	{ID: "B1", Name: "hardcodedsecret", Title: "credential in code", Doc: "# B1\n", CWE: []int{798}, Severity: 8},
	{ID: "B2", Name: "injection", Title: "injection", CWE: []int{74}, Severity: 8.8},
}

// written renders, wants the official schema to hold, and reads it back.
func written(t testing.TB, models ...sessionreport.Model) *format.Run {
	var out bytes.Buffer
	require.NoError(t, Render(&out, Options{Version: "1.2.3", Rules: ours}, models...))
	var again bytes.Buffer
	require.NoError(t, Render(&again, Options{Version: "1.2.3", Rules: ours}, models...))
	require.Equal(t, out.String(), again.String(), "the same reports give the same bytes")
	log, err := format.FromBytes(out.Bytes(), format.WithStrictValidation())
	require.NoError(t, err)
	require.NoError(t, log.Validate(), "the schema of SARIF 2.1.0")
	require.Equal(t, "2.1.0", log.Version)
	require.Len(t, log.Runs, 1)
	return log.Runs[0]
}

func finding1(detector, path, subject string) sessionreport.Finding {
	return sessionreport.Finding{
		Signal: "sig-" + detector + subject, Turn: 4, Detector: detector, Class: sessionevents.Class(detector[:1]), Subject: subject,
		Message: detector + " found " + subject + ".", Why: "It stands there.", Path: path, Line: 7, Urgency: 24, ReworkCost: 3, Confidence: 0.8,
		End: "logged", Times: 1,
		Evidence: []sessionevents.Evidence{
			{Kind: sessionevents.SegmentPlan, Quote: "I'll build it"},
			{Kind: sessionevents.SegmentDiff, Path: path, Line: 7, Quote: "def f():", ConflictsWith: &sessionevents.EarlierEvent{Path: "old.py", Line: 3, What: "f as it was"}},
			{Kind: sessionevents.SegmentDiff, Path: "second.py", Line: 9},
		},
	}
}

func model(change func(*sessionreport.Model)) sessionreport.Model {
	m := sessionreport.Model{Session: sessionreport.Session{ID: "s"}, Coverage: sessionreport.Coverage{Received: 5}}
	change(&m)
	return m
}

func TestResults(t *testing.T) {
	fired := finding1("B2", "src/db.py", "cursor.execute")
	fired.End, fired.CWE, fired.Urgency = "fired", 89, 45
	kept := finding1("A1", "src/dates.py", "parseDate")
	low := finding1("A1", "src/low.py", "x")
	low.Urgency, low.Line = 5, 0
	low.Evidence = nil
	hidden := finding1("B1", "test_x.py", "KEY")
	hidden.Reason, hidden.End, hidden.Confidence = "mock value in a test file", "suppressed", 0.95
	run := written(t, model(func(m *sessionreport.Model) {
		m.Said, m.Interrupts = []sessionreport.Finding{fired}, []sessionreport.Fired{{Signals: []string{fired.Signal}}}
		m.NotSent, m.Logged, m.Suppressed = []sessionreport.Finding{kept}, []sessionreport.Finding{low}, []sessionreport.Finding{hidden}
		m.Corrected = []sessionreport.Finding{finding1("A1", "gone.py", "gone")}
		m.Pending = []sessionreport.Finding{finding1("C1", "", "no file"), finding1("C1", "https://x.example/a", "an address")}
	}))
	require.Len(t, run.Results, 4, "only what stands in a file")
	first := run.Results[0]
	require.Equal(t, "B2", *first.RuleID)
	require.Equal(t, 2, first.RuleIndex)
	require.Equal(t, format.LevelError, first.Level)
	require.InDelta(t, 90, first.Rank, 0)
	require.Equal(t, "B2 found cursor.execute. It stands there.", *first.Message.Text)
	require.Equal(t, "89", *first.Taxa[0].ID, "the finding's own weakness")
	at := first.Locations[0].PhysicalLocation
	require.Equal(t, []any{"src/db.py", "%SRCROOT%", 7, "def f():"}, []any{*at.ArtifactLocation.URI, *at.ArtifactLocation.URIBaseID, *at.Region.StartLine, *at.Region.Snippet.Text})
	require.Len(t, first.RelatedLocations, 2)
	require.Equal(t, "f as it was", *first.RelatedLocations[0].Message.Text)
	require.Empty(t, first.Suppressions)
	require.Equal(t, format.LevelWarning, run.Results[1].Level)
	require.Equal(t, format.LevelNote, run.Results[2].Level)
	require.Nil(t, run.Results[2].Locations[0].PhysicalLocation.Region, "no line is made up")
	last := run.Results[3]
	require.Equal(t, "798", *last.Taxa[0].ID, "its rule's weakness")
	require.Equal(t, []string{"external", "accepted", "mock value in a test file"},
		[]string{*last.Suppressions[0].Kind, *last.Suppressions[0].Status, *last.Suppressions[0].Justification})
}

// What was dismissed is suppressed; what was heeded no longer stands.
// Texts of agents become no links, which viewers make of plain text too, and steer
// nothing that shows them.
func TestHostileTexts(t *testing.T) {
	f := finding1("A1", "src/a.py", "x")
	f.Message = "see [the fix](https://evil.example/\u202ex) \x1b[31mnow"
	f.Reason, f.End = "fine\u202e", "suppressed"
	run := written(t, model(func(m *sessionreport.Model) { m.Suppressed = []sessionreport.Finding{f} }))
	said := *run.Results[0].Message.Text
	require.Contains(t, said, "see [the fix] (https://evil.example/x) now")
	require.Equal(t, "fine", *run.Results[0].Suppressions[0].Justification)
}

func TestAnswersToInterrupts(t *testing.T) {
	list := []sessionreport.Finding{finding1("B1", "a.py", "A"), finding1("B1", "b.py", "B"), finding1("B1", "c.py", "C")}
	run := written(t, model(func(m *sessionreport.Model) {
		m.Said = list
		m.Interrupts = []sessionreport.Fired{
			{Signals: []string{list[0].Signal}, Dismissed: true}, {Signals: []string{list[1].Signal}, Heed: "heeded"}, {Signals: []string{list[2].Signal}, Heed: "ignored"},
		}
	}))
	require.Len(t, run.Results, 2)
	require.Equal(t, "c.py", *run.Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI)
	require.Equal(t, "dismissed as a false positive", *run.Results[1].Suppressions[0].Justification)
}

// The fingerprint names a thing whatever its line, turn and session; another
// detector, file or subject is another thing.
func TestFingerprintsAreStable(t *testing.T) {
	print := func(change func(*sessionreport.Finding)) string {
		f := finding1("A1", "src/a.py", "parse")
		change(&f)
		run := written(t, model(func(m *sessionreport.Model) { m.Logged = []sessionreport.Finding{f} }))
		return run.Results[0].PartialFingerprints["scaffoldwatch/v1"]
	}
	same := print(func(*sessionreport.Finding) {})
	require.Len(t, same, 32)
	require.Equal(t, same, print(func(f *sessionreport.Finding) {
		f.Line, f.Turn, f.Signal, f.Message, f.End = 90, 12, "other", "other", "queued"
	}))
	for _, change := range []func(*sessionreport.Finding){
		func(f *sessionreport.Finding) { f.Detector = "A2" }, func(f *sessionreport.Finding) { f.Path = "src/b.py" },
		func(f *sessionreport.Finding) { f.Subject = "other" }, func(f *sessionreport.Finding) { f.Subclass = "other" },
	} {
		require.NotEqual(t, same, print(change))
	}
}

// One thing is one result, whatever number of turns and sessions saw it: what
// is not suppressed and most urgent stands for all.
func TestOneThingIsOneResult(t *testing.T) {
	weak, strong, mock := finding1("A1", "a.py", "f"), finding1("A1", "a.py", "f"), finding1("A1", "a.py", "f")
	weak.Urgency, strong.Urgency, strong.Turn, strong.Times = 10, 30, 9, 3
	mock.Urgency, mock.Reason = 50, "user-directed"
	run := written(t,
		model(func(m *sessionreport.Model) {
			m.Logged, m.Suppressed = []sessionreport.Finding{weak}, []sessionreport.Finding{mock}
		}),
		model(func(m *sessionreport.Model) { m.Session.ID, m.NotSent = "t", []sessionreport.Finding{strong} }))
	require.Len(t, run.Results, 1)
	require.Equal(t, 5, *run.Results[0].OccurrenceCount)
	require.Empty(t, run.Results[0].Suppressions)
	bag, err := json.Marshal(run.Results[0].Properties)
	require.NoError(t, err)
	require.Contains(t, string(bag), `"session":"t","signal":"sig-A1f","turn":9,"urgency":3`)
}

func TestRulesTellTheirDocumentation(t *testing.T) {
	run := written(t, model(func(m *sessionreport.Model) { m.Logged = []sessionreport.Finding{finding1("U-own", "a.py", "x")} }))
	rules := run.Tool.Driver.Rules
	require.Len(t, rules, 4, "a rule that is not known is described by its id")
	require.Equal(t, "A function that exists is built.", *rules[0].FullDescription.Text)
	require.Contains(t, *rules[0].Help.Markdown, "## Silent")
	require.Equal(t, "https://github.com/scaffoldwatch/scaffoldwatch/blob/main/docs/rules/A1.md", *rules[0].HelpURI)
	bag, err := json.Marshal(rules[1].Properties)
	require.NoError(t, err)
	require.JSONEq(t, `{"security-severity":"8.0","tags":["security","external/cwe/cwe-798"]}`, string(bag))
	require.Equal(t, "798", *rules[1].Relationships[0].Target.ID)
	require.Nil(t, rules[3].HelpURI)
	taxa := run.Taxonomies[0].Taxa
	for _, rule := range rules {
		for _, relation := range rule.Relationships {
			require.Equal(t, *relation.Target.ID, *taxa[relation.Target.Index].ID, "the index points at the weakness")
		}
	}
}

func TestPlaces(t *testing.T) {
	for path, want := range map[string]string{
		"src/a b#1.go": "src/a%20b%231.go", "/home/x/ü.py": "file:///home/x/%C3%BC.py", `C:\code\a.cs`: "file:///C:/code/a.cs",
		"a:b/c.go": "./a:b/c.go", "../up.go": "../up.go", "what?.go": "what%3F.go", "100%.go": "100%25.go",
	} {
		require.Equal(t, want, *artifact(path).URI)
		require.True(t, isFile(path))
	}
	for _, path := range []string{"", ".", "/", "./", "https://a.example/b"} {
		require.False(t, isFile(path), path)
	}
}

// Code scanning keeps 5,000 results of a run: so many are written, the most
// urgent ones, and the log says what is left out.
func TestResultsAreBounded(t *testing.T) {
	m := model(func(m *sessionreport.Model) {
		for i := range Kept + 3 {
			f := finding1("A1", "a.py", fmt.Sprint(i))
			f.Urgency = sessionevents.Urgency(10 + i%2)
			m.Logged = append(m.Logged, f)
		}
	})
	var out bytes.Buffer
	require.NoError(t, Render(&out, Options{Rules: ours}, m))
	log, err := format.FromBytes(out.Bytes())
	require.NoError(t, err)
	require.Len(t, log.Runs[0].Results, Kept)
	require.Equal(t, "3 less urgent results are left out; 5000 are kept.", *log.Runs[0].Invocations[0].ToolExecutionNotifications[0].Message.Text)
	require.InDelta(t, 22, log.Runs[0].Results[0].Rank, 0)
}

// DP-33: silence says here too what it does not cover.
func TestGapsAreTold(t *testing.T) {
	run := written(t,
		model(func(m *sessionreport.Model) { m.Coverage.Received = 0 }),
		model(func(m *sessionreport.Model) {
			m.Coverage = sessionreport.Coverage{Received: 3, Skipped: 2, NotWatched: 3}
		}),
		model(func(*sessionreport.Model) {}))
	var said []string
	for _, n := range run.Invocations[0].ToolExecutionNotifications {
		said = append(said, *n.Message.Text)
	}
	require.Equal(t, []string{"Session s was not watched: no turn was received.", "Session s was not watched in 3 of 5 turns."}, said)
	require.NotNil(t, run.Results, "code scanning needs the list, also an empty one")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorsAreNamed(t *testing.T) {
	require.ErrorContains(t, Render(failing{}, Options{}), "write reports as SARIF: disk full")
}

// Whatever a session says, the schema holds.
func FuzzRender(f *testing.F) {
	for _, seed := range []string{"", "a b", "C:\\x", "/x", "a:b", "\x00", "../..", "%zz", "<&>", "\u202e", "x\ny"} {
		f.Add(seed, "subject", 3)
		f.Add("src/a.go", seed, -1)
	}
	f.Fuzz(func(t *testing.T, path, subject string, line int) {
		if !utf8.ValidString(path+subject) || strings.ContainsRune(path+subject, utf8.RuneError) {
			return
		}
		found := finding1("B1", path, subject)
		found.Line, found.Evidence[1].Line = line, line
		written(t, model(func(m *sessionreport.Model) { m.Logged = []sessionreport.Finding{found} }))
	})
}

// The schema that the tests rely on does refuse something.
func TestSchemaRefuses(t *testing.T) {
	log := build(Options{Rules: ours}, []sessionreport.Model{model(func(m *sessionreport.Model) { m.Logged = []sessionreport.Finding{finding1("A1", "a.py", "x")} })})
	require.NoError(t, log.Validate())
	log.Runs[0].Results[0].Level = "high"
	require.Error(t, log.Validate())
}

// B2's flow becomes a code flow from source to sink, and its cure a property; a step without a line
// has no place, and a flow of one place is none.
func TestCodeFlows(t *testing.T) {
	f := finding1("B2", "src/db.py", "execute")
	f.CWE, f.Fix = 89, "pass the value as a query parameter"
	f.Evidence[1].Flow = []sessionevents.FlowStep{
		{Role: sessionevents.FlowSource, Line: 3, Code: `name = request.args["name"]`},
		{Role: sessionevents.FlowThrough, Line: 5, Code: `sql = "…" + name`},
		{Role: sessionevents.FlowThrough, Code: "elsewhere"},
		{Role: sessionevents.FlowSink, Line: 7, Code: "db.execute(sql)"},
	}
	f.Evidence[2].Flow = []sessionevents.FlowStep{{Role: sessionevents.FlowSource, Code: "x"}, {Role: sessionevents.FlowSink, Line: 9, Code: "y"}}
	r := written(t, model(func(m *sessionreport.Model) { m.Logged = append(m.Logged, f) })).Results[0]
	require.Len(t, r.CodeFlows, 1)
	var lines []int
	var importance []string
	for _, l := range r.CodeFlows[0].ThreadFlows[0].Locations {
		lines, importance = append(lines, *l.Location.PhysicalLocation.Region.StartLine), append(importance, l.Importance)
		require.Equal(t, "src/db.py", *l.Location.PhysicalLocation.ArtifactLocation.URI)
	}
	require.Equal(t, []int{3, 5, 7}, lines)
	require.Equal(t, []string{"essential", "important", "essential"}, importance)
	require.Equal(t, "89", *r.Taxa[0].ID)
	require.Equal(t, f.Fix, r.Properties.Properties["fix"])
}

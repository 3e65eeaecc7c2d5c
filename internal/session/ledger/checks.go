package ledger

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/checkrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// checkReader reads what calls check and show.
type checkReader struct{ *digest }

type effectKind struct {
	effect string
	kind   sessionevents.CheckKind
}

// effectKinds maps the effects of a command line of which only the kind is known to kinds
// of checks.
var effectKinds = []effectKind{
	{"test", sessionevents.CheckTest},
	{"build", sessionevents.CheckBuild},
	{"lint", sessionevents.CheckLint},
	{"run", sessionevents.CheckRun},
}

// checks records the checks of a call (PD-1).
func (d checkReader) checks(s *sessionevents.Segment, at Place) {
	if s.Tool == nil || s.Kind == sessionevents.SegmentError || s.Kind == sessionevents.SegmentTodo {
		return
	}
	for _, a := range s.Accesses {
		changeReader(d).note(d.registry.Path(a.Target))
	}
	if len(d.l.Symbols) > 0 && s.Tool.Command != "" {
		changeReader(d).usedIn(s.Tool.Command)
	}
	if d.c.Aside.MatchString(s.Tool.Command) {
		d.l.Aside = true
	}
	d.l.Stashed = d.l.Stashed || d.c.Stashes.MatchString(s.Tool.Command)
	trees(d).note(s)
	unchanged := d.l.Stashed || trees(d).lack(s)
	if d.c.Unstashes.MatchString(s.Tool.Command) {
		d.l.Stashed, d.l.Aside = false, false
	}
	for _, check := range d.checksOf(s) {
		if check.Kind == sessionevents.CheckTest && (check.Runner == checkrun.TestScript || check.Runner == checkrun.NamedTest || check.Runner == "") && d.builtAside(s.Tool.Command) {
			check.Kind, check.Runner = sessionevents.CheckRun, ""
		}
		if (d.l.Aside || unchanged) && check.Kind != sessionevents.CheckLint {
			d.l.Original = at
		}
		run := sessionevents.LedgerRun{Check: check, Turn: at.Turn, Segment: at.Segment, Command: d.shorten(s.Tool.Command)}
		if check.Result == sessionevents.CheckPassed && cutOff(&check, s.Result) {
			run.Result = sessionevents.CheckCut
		}
		if run.Result == sessionevents.CheckPassed && check.Kind == sessionevents.CheckRun && d.c.Forgiven.MatchString(s.Tool.Command) {
			run.Result = sessionevents.CheckUnknown
		}
		if run.Result == sessionevents.CheckPassed && (d.prepared(s, check.Kind) || d.tried(s, &check) ||
			check.Kind == sessionevents.CheckRun && d.c.Rehearses.MatchString(s.Tool.Command)) {
			run.Result = sessionevents.CheckUnknown
		}
		if check.Kind == sessionevents.CheckTest && run.Result == sessionevents.CheckPassed &&
			s.Result != nil && !d.c.narrow(&run) {
			d.suites(s.Result.Head+"\n"+s.Result.Tail, at)
		}
		if check.Result == sessionevents.CheckFailed {
			d.l.Failing = at
			if check.Kind == sessionevents.CheckLint && d.names(s.Result) {
				d.l.Found = at
			}
			if s.Result != nil && d.c.Lacking.MatchString(s.Result.Head+"\n"+s.Result.Tail) {
				d.l.Lacking = at
			}
		}
		if unchanged {
			d.l.Ran = at
		} else {
			d.l.Checks = append(d.l.Checks, run)
		}
		d.out.Change.Checks = append(d.out.Change.Checks, run)
	}
}

// maxSuiteRuns bounds the runs kept whose output names a suite.
const maxSuiteRuns = 16

// noneSkipped matches a count of a summary that says that nothing was skipped.
var noneSkipped = pattern.Must(`\bskipped[:=]\s*0\b|\b0 skipped\b`)

// suites notes the suites that the output of a run of everything names as tests that ran.
func (d checkReader) suites(output string, at Place) {
	for line := range strings.Lines(strings.ToLower(output)) {
		if strings.Contains(noneSkipped.ReplaceAllString(line, ""), "skip") ||
			strings.Contains(line, "no test") || strings.Contains(line, "ignored") {
			continue
		}
		for _, suite := range d.c.Suites {
			run := SuiteRun{Suite: suite, At: at}
			if strings.Contains(line, suite) && !slices.Contains(d.l.Suites, run) {
				d.l.Suites = append(slices.Clip(d.l.Suites[max(0, len(d.l.Suites)-maxSuiteRuns+1):]), run)
			}
		}
	}
}

// prepared reports whether a call's only check set up or tore down what tests need.
func (d checkReader) prepared(s *sessionevents.Segment, kind sessionevents.CheckKind) bool {
	return (kind == sessionevents.CheckRun || kind == sessionevents.CheckTest) && len(d.checksOf(s)) == 1 &&
		d.c.Prepares.MatchString(s.Tool.Command)
}

// tried reports whether a check is a run of programs that are apart from the work only.
func (d checkReader) tried(s *sessionevents.Segment, check *sessionevents.Check) bool {
	named := check.Runner == checkrun.TestScript || check.Runner == checkrun.NamedTest
	return (check.Kind == sessionevents.CheckRun || check.Kind == sessionevents.CheckTest && named) &&
		aparts(d).only(s.Tool.Command)
}

// builtAside reports whether a command line runs a program in a temporary folder: a
// binary called "app-test" is the program under test, whereas a test script has an
// extension.
func (d checkReader) builtAside(command string) bool {
	program, _, _ := strings.Cut(programOf(command), " ")
	return path.Ext(program) == "" && path.IsAbs(program) && d.c.Scratch.MatchString(program)
}

// checksOf returns the checks that the call's reader found, or those that follow from the
// kind of the command line and its exit code.
func (d checkReader) checksOf(s *sessionevents.Segment) []sessionevents.Check {
	if len(s.Checks) > 0 || s.Kind == sessionevents.SegmentDiff {
		return s.Checks
	}
	if first, _, _ := strings.Cut(programOf(s.Tool.Command), " "); slices.Contains(hosts, first) || slices.Contains(noops, first) {
		return nil
	}
	for _, known := range effectKinds {
		if slices.Contains(s.Tool.Effects, known.effect) {
			return []sessionevents.Check{{Kind: known.kind, Result: d.resultOf(s)}}
		}
	}
	return nil
}

// cutOff reports whether "| head -N" ended the output before the run did, so that later
// failures are not visible (PD-2).
func cutOff(c *sessionevents.Check, r *sessionevents.ResultDigest) bool {
	_, lines, found := strings.Cut(c.Hides, "head")
	if !found || r == nil {
		return false
	}
	n, err := strconv.Atoi(strings.Trim(strings.TrimPrefix(strings.TrimSpace(lines), "-n"), "- "))
	return err == nil && r.Lines >= n
}

func (d checkReader) resultOf(s *sessionevents.Segment) sessionevents.CheckResult {
	switch {
	case d.failed(s):
		return sessionevents.CheckFailed
	case s.Result != nil && s.Result.ExitCode == nil && d.c.Crashed.MatchString(s.Result.Head+"\n"+s.Result.Tail):
		return sessionevents.CheckFailed // without an exit code from the harness
	case s.Result == nil || d.c.Forgiven.MatchString(s.Tool.Command),
		s.Result.ExitCode == nil && d.c.Unfinished.MatchString(s.Result.Head):
		return sessionevents.CheckUnknown
	}
	return sessionevents.CheckPassed
}

// failed reports whether the call ended with an error.
func (d checkReader) failed(s *sessionevents.Segment) bool {
	if s.Result != nil && (s.Result.IsError || s.Result.ExitCode != nil && *s.Result.ExitCode != 0) {
		return true
	}
	for i := range d.t.Segments {
		e := &d.t.Segments[i]
		if e.Kind == sessionevents.SegmentError && e.Tool != nil && e.Tool.CallID == s.Tool.CallID && e.Tool.CallID != "" {
			return true
		}
	}
	return false
}

// hosts are clients of code hosts and issue trackers: what they send and request shows
// nothing about the work, whatever words an issue contains.
var hosts = []string{"gh", "glab", "hub", "git", "tea", "jira", "acli", "linear", "bd"}

// noops are first words of commands without any effect.
var noops = []string{"", ":", "true", "#"}

// reading lists effects of commands that only read or do bookkeeping; idle lists programs
// that show nothing.
var idle = []string{"", "echo", "printf", "sleep", "true", ":", "ls", "cat", "pwd", "wc", "head", "tail", "grep", "rg", "git", "find", "rm", "mv", "cp", "mkdir", "chmod", "which", "env", "export", "sed", "jq"}

var reading = []string{"read", "search", "list", "git", "poll", "install", "format", "fetch"}

// runs records the results of a shell command besides its checks: that it ran something,
// and problems in its output.
func (d checkReader) runs(s *sessionevents.Segment, at Place) {
	failed := d.failed(s)
	program := programOf(s.Tool.Command)
	first, _, _ := strings.Cut(program, " ")
	if failed || slices.Contains(noops, first) {
		d.l.Vain = at
	} else {
		d.l.Acted = at
	}
	if d.c.AsksCode.MatchString(s.Tool.Command) && s.Result != nil {
		if code := strings.TrimSpace(s.Result.Head); code != "" && code != "0" {
			d.l.Troubles = append(d.l.Troubles, Trouble{At: at, Command: d.shorten(s.Tool.Command), Text: "exit code " + d.shorten(code)})
		}
		return
	}
	if d.c.Elsewhere.MatchString(s.Tool.Command) {
		d.l.Delegated = at
		d.remote(s, at)
	}
	looks := len(s.Tool.Effects) > 0 && !slices.ContainsFunc(s.Tool.Effects, func(e string) bool { return !slices.Contains(reading, e) })
	if looks && !slices.Contains(s.Tool.Effects, "fetch") || slices.Contains(idle, first) {
		return
	}
	checks := d.checksOf(s)
	if !failed && len(checks) == 0 {
		d.l.Ran = at
	}
	unknown := func(c sessionevents.Check) bool { return c.Runner == "" && c.Kind == sessionevents.CheckRun }
	if slices.ContainsFunc(checks, unknown) {
		d.l.Unknown = at
	}
	if !strings.Contains(s.Tool.Command, "|") {
		d.l.Troubles = slices.DeleteFunc(d.l.Troubles, func(t Trouble) bool { return programOf(t.Command) == program })
	}
	if text := d.trouble(s); text != "" {
		d.l.Troubles = append(d.l.Troubles, Trouble{At: at, Command: d.shorten(s.Tool.Command), Text: text})
	}
}

// trouble returns the line of a command's output that reports a problem; "" for none.
func (d checkReader) trouble(s *sessionevents.Segment) string {
	if s.Result == nil || s.Result.Bytes == 0 {
		return ""
	}
	for line := range strings.Lines(s.Result.Tail + "\n" + s.Result.Head) {
		if d.c.section.Troubles.MatchString(line) && !d.c.Repaired.MatchString(line) {
			return d.shorten(line)
		}
	}
	return ""
}

// apart puts the parts of a command line on separate lines.
var apart = strings.NewReplacer("&&", "\n", ";", "\n")

// quoted parts of a command line: what they hold is text of it, not programs.
var quotedParts = pattern.Must(
	`(?s)\$\(cat <<-?\s*['"]?\w+['"]?\n.*?\n\s*\w+\s*\)|"(?:[^"\\]|\\.)*"|'[^']*'`)

// oneLine is a quoted text of several lines or commands as one word; a short one stays as it is.
func oneLine(text string) string {
	if strings.ContainsAny(text, "\n;|&") {
		return "…"
	}
	return text
}

// programOf returns the last program of a command line that does more than read, with its
// first operand: "kubectl get", "psql new_db", "npm run lint".
func programOf(command string) string {
	out := ""
	for part := range strings.SplitSeq(apart.Replace(quotedParts.ReplaceAllStringFunc(command, oneLine)), "\n") {
		part, _, _ = strings.Cut(part, "|")
		var words []string
		for _, w := range strings.Fields(part) {
			if len(words) == 0 && strings.Contains(w, "=") || strings.HasPrefix(w, "-") || strings.ContainsAny(w, "<>") {
				continue
			}
			if words = append(words, w); len(words) == 2 && w != "run" || len(words) == 3 {
				break // "mise run" and "npm run" are followed by a task
			}
		}
		if len(words) > 0 && words[0] != "cd" && (out == "" || !slices.Contains(idle, words[0])) {
			out = strings.Join(words, " ")
		}
	}
	return out
}

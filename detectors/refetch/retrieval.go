package refetch

import (
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// retrieval is one read, search, listing or fetch and its result.
type retrieval struct {
	Kind   sessionevents.AccessKind `json:"k"`
	Target string                   `json:"t"`
	Query  string                   `json:"q,omitempty"`
	From   int                      `json:"f,omitempty"` // lines as requested; 0: from the start
	To     int                      `json:"e,omitempty"` // 0: to the end, -1: an unknown part
	Turn   int                      `json:"n"`
	Hash   string                   `json:"h"` // of the whole call's result
	// Input is the call's own hash; Short is set if the result is too short, or the range
	// too vague, to distinguish two calls ("no matches").
	Input string `json:"i,omitempty"`
	Short bool   `json:"s,omitempty"`
	// Last is the last line that the result contains, 0 if unknown.
	Last int `json:"l,omitempty"`
	// Reach is Last before anything could have changed unseen, Opening a hash of the
	// first lines without their numbers: together they show that a later result is the
	// same text.
	Reach   int    `json:"r,omitempty"`
	Opening uint64 `json:"o,omitempty"`
	// Tool is the call's canonical name: tools print the same file differently.
	Tool sessionevents.CanonicalTool `json:"w,omitempty"`
	// Numbered is set if the result shows line numbers, Unchanged if the tool itself says
	// that nothing changed since the last time.
	Numbered  bool `json:"b,omitempty"`
	Unchanged bool `json:"u,omitempty"`
	// Compactions counts earlier compactions, to detect a later one.
	Compactions int `json:"c,omitempty"`
}

// retrievals returns what a successful call retrieved; none for a call that also writes,
// tests, builds or watches something.
func (d *instance) retrievals(p *detect.Pass, s *sessionevents.Segment) []retrieval {
	if s.Tool == nil || s.Rejected || s.Result == nil || s.Result.Hash == "" || s.Result.IsError || d.excluded(s) {
		return nil
	}
	if code := s.Result.ExitCode; code != nil && *code != 0 || s.Result.Bytes < d.config.MissingBytes && containsAny(s.Result.Head+s.Result.Tail, d.config.MissingMarks) {
		return nil
	}
	var out []retrieval
	for _, a := range s.Accesses {
		if a.Kind == sessionevents.AccessWrite {
			return nil
		}
		if d.config.Watched.MatchString(a.Target) || a.Target == "" || a.Kind == sessionevents.AccessSearch && a.Query == "" || a.Kind == sessionevents.AccessFetch && d.live(a.Target) {
			continue
		}
		out = append(out, retrieval{
			Kind: a.Kind, Target: p.Before.Path(a.Target), Query: a.Query, From: a.From, To: a.To,
			Turn: p.Turn.Turn, Hash: s.Result.Hash, Input: s.Tool.InputHash,
			Tool:      s.Tool.Canonical,
			Short:     s.Result.Bytes < d.config.ShortBytes || a.To < 0,
			Numbered:  s.Tool.Canonical != sessionevents.ToolShell || numbers(s.Tool.Command),
			Unchanged: containsAny(s.Result.Head, d.config.UnchangedMarks),
		})
	}
	if len(out) == 1 && len(s.Accesses) == 1 && out[0].Kind == sessionevents.AccessRead && out[0].To >= 0 && !d.truncated(s.Result) {
		out[0].Last = lastLine(s.Result, max(out[0].From, 1)+s.Result.Lines-1)
		out[0].Reach, out[0].Opening = out[0].Last, opening(s.Result.Head)
	}
	if len(s.Accesses) == 0 {
		out = d.gitReads(p, s)
	}
	return out
}

// lastLine returns the number of the last line with text, as shown in the result, or
// otherwise if it shows no numbers. What a harness appends does not belong to the file.
func lastLine(r *sessionevents.ResultDigest, otherwise int) int {
	text := r.Tail
	if text == "" {
		text = r.Head
	}
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i > 0; i-- { // the first may be cut
		m := shownNumber.FindStringSubmatch(lines[i])
		if m == nil || m[2] == "" {
			continue
		}
		if n, err := strconv.Atoi(m[1]); err == nil && n <= otherwise {
			return n
		}
		break
	}
	return otherwise
}

// shownNumber matches a line as tools print files.
var shownNumber = pattern.Must(`^\s*(\d+)(?:\t|→)(.*)$`)

// openingLines is the number of lines that identify a text.
const openingLines = 4

// opening returns a hash of the first complete lines of a result, without line numbers; 0
// if there are too few.
func opening(head string) uint64 {
	lines := strings.SplitN(head, "\n", openingLines+1)
	if len(lines) <= openingLines {
		return 0
	}
	hash := xxhash.New()
	for _, line := range lines[:openingLines] {
		_, _ = hash.WriteString(strings.TrimSpace(lineNumber.ReplaceAllString(line, "")) + "\n")
	}
	return hash.Sum64()
}

// lineNumber matches the line number that tools print.
var lineNumber = pattern.Must(`^\s*\d+(?:\t|→|: ?|-|\|)`)

func containsAny(text string, marks []string) bool {
	return slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(text, m) })
}

// numbers reports whether a command prints line numbers.
func numbers(command string) bool {
	words := strings.Fields(command)
	return slices.Contains(words, "nl") || slices.Contains(words, "-n") && (slices.Contains(words, "cat") || slices.Contains(words, "grep") || slices.Contains(words, "rg"))
}

func (d *instance) excluded(s *sessionevents.Segment) bool {
	if s.Tool.Canonical == sessionevents.ToolPoll || s.Kind != sessionevents.SegmentTool {
		return true
	}
	return slices.ContainsFunc(s.Tool.Effects, func(e string) bool { return slices.Contains(d.config.ExcludedEffects, e) })
}

// live reports whether a fetch requests something that the work itself changes. Other
// commands that fetch (git show HEAD:a.go) do not name URLs.
func (d *instance) live(target string) bool {
	if !strings.Contains(target, "://") {
		target = "http://" + target
		if strings.ContainsAny(target, " \t") {
			return false
		}
	}
	u, err := url.Parse(target)
	return err != nil || slices.Contains(d.config.LiveHosts, u.Hostname()) || slices.Contains(d.config.LiveHosts, u.Host)
}

func (d *instance) truncated(r *sessionevents.ResultDigest) bool {
	ends := strings.ToLower(r.Head + "\n" + r.Tail)
	return r.Lines == 0 || slices.ContainsFunc(d.config.TruncationMarks, func(m string) bool { return strings.Contains(ends, m) })
}

// same reports whether now requests exactly what earlier did.
func same(earlier, now *retrieval) bool {
	return earlier.Kind == now.Kind && earlier.Query == now.Query && (earlier.Target == now.Target || sameFolder(earlier, now)) &&
		max(earlier.From, 1) == max(now.From, 1) && earlier.To == now.To
}

// sameFolder reports whether one call names the folder and the other runs in it, which
// their equal results show.
func sameFolder(earlier, now *retrieval) bool {
	here := earlier.Target == "." && path.IsAbs(now.Target) || now.Target == "." && path.IsAbs(earlier.Target)
	return here && now.Kind != sessionevents.AccessRead && earlier.Hash == now.Hash && !now.Short && !earlier.Short
}

// confirms reports whether now's result begins with the same lines and goes no further,
// although files may have changed unseen since earlier.
func confirms(earlier, now *retrieval) bool {
	return earlier.Kind == sessionevents.AccessRead && now.Kind == sessionevents.AccessRead && earlier.Target == now.Target &&
		earlier.Opening != 0 && earlier.Opening == now.Opening && max(earlier.From, 1) == max(now.From, 1) && now.Last > 0 && now.Last <= earlier.Reach
}

// agrees reports whether two same retrievals had the same result.
func agrees(earlier, now *retrieval) bool {
	return earlier.Hash == now.Hash && (!now.Short || earlier.Input == now.Input)
}

// alike reports whether two tools printed the same lines of a file in different formats,
// such as cat and a reader that numbers lines.
func alike(earlier, now *retrieval) bool {
	return earlier.Kind == sessionevents.AccessRead && earlier.Tool != now.Tool && earlier.Last > 0 && earlier.Last == now.Last && !now.Short
}

// covers reports whether earlier's result contains all lines of now's.
func covers(earlier, now *retrieval) bool {
	return earlier.Kind == sessionevents.AccessRead && now.Kind == sessionevents.AccessRead && earlier.Target == now.Target &&
		earlier.Last > 0 && now.Last > 0 && max(earlier.From, 1) <= max(now.From, 1) && now.Last <= earlier.Last &&
		!same(earlier, now)
}

// subject returns the name of what was retrieved.
func (r *retrieval) subject() string {
	switch {
	case r.Query == "":
		return r.Target
	case r.Target == "":
		return r.Query
	}
	return r.Query + " in " + r.Target
}

// lines returns which lines were requested, "" for the whole file.
func (r *retrieval) lines() string {
	switch {
	case r.From <= 1 && r.To == 0 || r.To < 0:
		return ""
	case r.To == 0:
		return " from line " + strconv.Itoa(r.From)
	}
	return " lines " + strconv.Itoa(max(r.From, 1)) + "-" + strconv.Itoa(r.To)
}

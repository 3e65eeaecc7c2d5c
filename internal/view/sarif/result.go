package sarif

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"

	format "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	queueLine = sessionevents.Urgency(20) // least urgency for the queue (DP-2)
	sureness  = 0.85
	// fingerprintName contains a version, which increases when the fingerprint is computed differently.
	fingerprintName = "scaffoldwatch/v1"
)

// result returns the result for a finding.
func (c *catalogue) result(f finding) *format.Result {
	r := format.NewResult()
	r.RuleID, r.RuleIndex = pointer(f.Detector), c.index[f.Detector]
	r.Level, r.Rank = level(f), rank(f.Urgency)
	r.Message = format.NewTextMessage(words(f))
	primary, related := places(f)
	r.Locations, r.RelatedLocations = append(r.Locations, primary), append(r.RelatedLocations, related...)
	r.CodeFlows = append(r.CodeFlows, codeFlows(f)...)
	r.PartialFingerprints = map[string]string{fingerprintName: f.fingerprint}
	r.OccurrenceCount = pointer(f.times)
	for _, number := range c.weaknesses(f) {
		r.Taxa = append(r.Taxa, c.weakness(number))
	}
	if f.suppressed != "" {
		s := format.NewSuppression()
		s.Kind, s.Status, s.Justification = pointer("external"), pointer("accepted"), pointer(page.Plain(f.suppressed))
		r.Suppressions = append(r.Suppressions, s)
	}
	r.Properties = format.NewPropertyBag().
		Add("session", f.session).Add("turn", f.Turn).Add("signal", f.Signal).Add("urgency", f.Urgency).
		Add("confidence", f.Confidence).Add("reworkCost", f.ReworkCost).Add("end", f.End)
	if f.Fix != "" {
		r.Properties.Add("fix", page.Plain(f.Fix))
	}
	return r
}

// weaknesses returns the weakness that the finding names, or else those of its rule.
func (c *catalogue) weaknesses(f finding) []int {
	if f.CWE > 0 {
		return []int{f.CWE}
	}
	return c.rules[c.index[f.Detector]].CWE
}

func words(f finding) string {
	text := cmp.Or(f.Message, f.Detector+" "+f.Subject)
	if f.Why != "" {
		text += " " + f.Why
	}
	return linkless(text)
}

// linkless removes from untrusted text what viewers turn into links even in plain text: [text](target).
func linkless(text string) string { return strings.ReplaceAll(page.Plain(text), "](", "] (") }

// level returns the level of a finding: what was said or is certainly a danger, what was worth the queue,
// and the rest.
func level(f finding) string {
	switch {
	case f.End == "fired", f.Class == sessionevents.ClassB && f.Confidence > sureness:
		return format.LevelError
	case f.Urgency >= queueLine:
		return format.LevelWarning
	}
	return format.LevelNote
}

// rank returns the urgency, at most 5.0, as 0–100.
func rank(u sessionevents.Urgency) float64 {
	return float64(min(max(u, 0), 50)) * 2
}

// Importance of a flow's steps: viewers may leave out what is not essential.
const (
	essential = "essential"
	important = "important"
)

// codeFlows returns the paths of values from source to sink, one for each piece of evidence with a path.
// Steps without a line cannot be shown, so a flow with fewer than two others is left out.
func codeFlows(f finding) []*format.CodeFlow {
	var flows []*format.CodeFlow
	for _, e := range f.Evidence {
		if !isFile(e.Path) {
			continue
		}
		thread := format.NewThreadFlow()
		for i, step := range e.Flow {
			if step.Line == 0 {
				continue
			}
			l := place(e.Path, step.Line, step.Code)
			l.Message = format.NewTextMessage(linkless(fmt.Sprintf("%s: %s", step.Role, step.Code)))
			at := format.NewThreadFlowLocation()
			at.Location, at.ExecutionOrder = l, i+1
			at.Importance = important
			if i == 0 || i == len(e.Flow)-1 {
				at.Importance = essential
			}
			thread.Locations = append(thread.Locations, at)
		}
		if len(thread.Locations) < 2 {
			continue
		}
		flow := format.NewCodeFlow()
		flow.ThreadFlows = append(flow.ThreadFlows, thread)
		flows = append(flows, flow)
	}
	return flows
}

// root is the base of relative paths.
const root = "%SRCROOT%"

var drive = pattern.Must(`^[A-Za-z]:[\\/]`)

// isFile reports whether path is a file, rather than an address or empty.
func isFile(path string) bool {
	return strings.Trim(path, "/. ") != "" && !strings.Contains(path, "://")
}

// artifact returns a file as a URI: relative to the root, or absolute on this machine.
func artifact(path string) *format.ArtifactLocation {
	a := format.NewArtifactLocation()
	switch {
	case drive.MatchString(path):
		a.URI = pointer((&url.URL{Scheme: "file", Path: "/" + strings.ReplaceAll(path, `\`, "/")}).String())
	case strings.HasPrefix(path, "/"):
		a.URI = pointer((&url.URL{Scheme: "file", Path: path}).String())
	default:
		a.URI, a.URIBaseID = pointer((&url.URL{Path: path}).String()), pointer(root)
	}
	return a
}

// place returns a line of a file, the whole file if the line is not known.
func place(path string, line int, quote string) *format.Location {
	physical := format.NewPhysicalLocation()
	physical.ArtifactLocation = artifact(path)
	if line > 0 {
		physical.Region = format.NewRegion()
		physical.Region.StartLine = pointer(line)
		if quote != "" {
			physical.Region.Snippet = format.NewArtifactContent()
			physical.Region.Snippet.Text = pointer(quote)
		}
	}
	return format.NewLocationWithPhysicalLocation(physical)
}

// places returns where a finding is, and the related and contradicting places.
func places(f finding) (primary *format.Location, related []*format.Location) {
	add := func(l *format.Location, text string) {
		l.ID = len(related) + 1
		l.Message = format.NewTextMessage(text)
		related = append(related, l)
	}
	for _, e := range f.Evidence {
		if isFile(e.Path) {
			if l := place(e.Path, e.Line, e.Quote); primary == nil && e.Path == f.Path {
				primary = l
			} else {
				add(l, "also here")
			}
		}
		if against := e.ConflictsWith; against != nil && isFile(against.Path) {
			add(place(against.Path, against.Line, ""), earlier(against))
		}
	}
	if primary == nil {
		primary = place(f.Path, f.Line, "")
	}
	return primary, related
}

func earlier(e *sessionevents.EarlierEvent) string {
	return cmp.Or(linkless(e.What), "the earlier one")
}

// finding is a finding in a file, with its duplicates.
type finding struct {
	sessionreport.Finding
	session     string
	fingerprint string
	suppressed  string // reason why no action is needed
	times       int
}

// collect returns the findings that remain in files, one for each detector, subject and file. Of several,
// one that is not suppressed takes precedence, then the most urgent, then the latest.
func collect(models []sessionreport.Model) []finding {
	var found []finding
	at := map[string]int{}
	for _, m := range models {
		for _, f := range standing(m) {
			if !isFile(f.Path) {
				continue
			}
			i, seen := at[f.fingerprint]
			if !seen {
				at[f.fingerprint] = len(found)
				found = append(found, f)
				continue
			}
			times := found[i].times + f.times
			if better(f, found[i]) {
				found[i] = f
			}
			found[i].times = times
		}
	}
	slices.SortStableFunc(found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(isSuppressed(a), isSuppressed(b)), cmp.Compare(b.Urgency, a.Urgency))
	})
	return found
}

func isSuppressed(f finding) int {
	if f.suppressed != "" {
		return 1
	}
	return 0
}

func better(a, b finding) bool {
	return cmp.Or(cmp.Compare(isSuppressed(b), isSuppressed(a)), cmp.Compare(a.Urgency, b.Urgency), 1) > 0
}

// standing returns the findings of a report that are still in the code at its end.
func standing(m sessionreport.Model) []finding {
	var all []finding
	add := func(f sessionreport.Finding, suppressed string) {
		all = append(all, finding{Finding: f, session: m.Session.ID, fingerprint: fingerprint(f), suppressed: suppressed, times: max(f.Times, 1)})
	}
	interrupts := map[string]sessionreport.Fired{} // by signal
	for _, i := range m.Interrupts {
		for _, signal := range i.Signals {
			interrupts[signal] = i
		}
	}
	for _, f := range m.Said {
		switch i := interrupts[f.Signal]; {
		case i.Dismissed:
			add(f, "dismissed as a false positive")
		case i.Heed != "heeded":
			add(f, "")
		}
	}
	for _, list := range [][]sessionreport.Finding{m.NotSent, m.Pending, m.Logged, m.Expired} {
		for _, f := range list {
			add(f, "")
		}
	}
	for _, f := range m.Suppressed {
		add(f, cmp.Or(f.Reason, "suppressed"))
	}
	return all
}

// fingerprint identifies a finding across runs: it contains neither line nor turn nor session, which
// change.
func fingerprint(f sessionreport.Finding) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Detector, f.Subclass, f.Path, f.Subject}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

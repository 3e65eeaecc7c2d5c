package hardcodedsecret

import (
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// testValues is the reason of SW-40.
const testValues = "SW-40: mock value in a test file"

// Run reports one finding per file and variable.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	m := p.State.(*memory)
	d.learnIgnored(m, p.Turn)
	flag := detect.Flagged(p, d.config.RedFlags, d.config.PlanWords) // RF06 covers anything: the sentence must name a credential
	if flag != nil {
		m.FlagTurn = p.Turn.Turn
	}
	raised := m.FlagTurn > 0 && p.Turn.Turn-m.FlagTurn <= 1
	var findings []detect.Finding
	seen, unsaid := map[string]int{}, 0 // subject → index of its finding plus one
	found := d.occurrences(m, p.Turn)
	m.forgetRemoved(p.Turn)
	for i := range found {
		o := &found[i]
		m.remember(o.segment.Path, o.secret.Fingerprint, d.Remembered)
		if d.permitted(m, o) {
			continue
		}
		if at := seen[subject(o)]; at > 0 {
			findings[at-1] = d.together(findings[at-1], d.finding(o, raised))
		} else if len(findings) < d.PerTurn {
			findings = append(findings, d.finding(o, raised))
			seen[subject(o)] = len(findings)
		} else {
			unsaid++
		}
	}
	if unsaid > 0 {
		findings[len(findings)-1].Reason += fmt.Sprintf(" The turn writes %d more.", unsaid)
	}
	for i := range findings {
		findings[i].Reason += elsewhere(findings[i].Evidence)
	}
	if flag != nil && len(found) == 0 {
		findings = append(findings, d.planned(p, flag))
	}
	d.learn(m, p.Turn)
	return findings
}

// together merges two findings of a file that gives a variable a secret: the more urgent
// one is kept, the other becomes evidence.
func (d *instance) together(a, b detect.Finding) detect.Finding {
	if b.Confidence > a.Confidence && (b.Suppressed == "" || a.Suppressed != "") || a.Suppressed != "" && b.Suppressed == "" {
		a, b = b, a
	}
	if len(a.Evidence) < d.Places && b.Suppressed == a.Suppressed {
		a.Evidence = append(a.Evidence, b.Evidence...)
	}
	return a
}

// elsewhere lists the further places of a finding.
func elsewhere(places []sessionevents.Evidence) string {
	if len(places) < 2 {
		return ""
	}
	var lines []string
	for _, e := range places[1:min(len(places), 6)] {
		lines = append(lines, fmt.Sprint(e.Line))
	}
	more := ""
	if n := len(places) - 1 - len(lines); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf(" Also in line %s%s.", strings.Join(lines, ", "), more)
}

// permitted reports whether the secret is in a permitted place: an environment file, a
// file that the session added to .gitignore, a secrets manager.
func (d *instance) permitted(m *memory, o *occurrence) bool {
	file := o.segment.Path
	environment := d.config.AllowedFiles.MatchString(file) && !d.config.ExampleFiles.MatchString(path.Base(file))
	return environment || m.ignores(file) || d.config.ManagerLines.MatchString(o.text)
}

func (d *instance) finding(o *occurrence, raised bool) detect.Finding {
	f := detect.Finding{
		Subclass: string(o.secret.Tier), Subject: subject(o), Confidence: o.secret.Confidence,
		ReworkCost: d.ReworkCost, SelfCorrect: d.SelfCorrect,
		Evidence: []sessionevents.Evidence{evidence(o)},
		Message:  message(o), Reason: reason(o),
	}
	named := o.secret.Tier == sessionevents.SecretNamedLiteral || o.secret.Tier == sessionevents.SecretNamedEntropy
	switch {
	case o.secret.Placeholder:
		f.Cap = detect.LogOnly
	case named && raised && f.Confidence < d.RaisedConfidence:
		f.Confidence = d.RaisedConfidence
		f.Reason += " The plan announced it."
	}
	shown := o.segment.Proposed && !named // a provider's key in code that is only shown is scored by the formula
	if !o.secret.Placeholder && o.secret.Tier != sessionevents.SecretEntropy && !shown {
		f.Floor = sessionevents.Urgency(math.Round(d.NameFloor * 10))
	}
	f.Escalate = f.Confidence > detect.EscalateAbove
	if d.files.Is(o.segment.Path, files.AnyTest) && d.mock(o) {
		f.Suppressed = testValues
	}
	return f
}

// mock reports whether a value in a test file is clearly a mock (SW-40). A provider's key that
// validates is not a mock unless its line marks it as one.
func (d *instance) mock(o *occurrence) bool {
	strong := o.secret.Tier == sessionevents.SecretProvider || o.secret.Tier == sessionevents.SecretNamedEntropy
	return o.secret.Placeholder || !strong || d.config.MockRules[o.secret.Rule] || d.config.MockLines.MatchString(o.text)
}

func subject(o *occurrence) string {
	name := o.variable
	if name == "" {
		name = o.secret.Rule
	}
	if o.segment.Path == "" {
		return name
	}
	return o.segment.Path + " " + name
}

// contextBytes is how much of a line evidence quotes before the marker.
const contextBytes = 80

// evidence returns the marker's place, quoting its line.
func evidence(o *occurrence) sessionevents.Evidence {
	e := detect.At(o.segment, o.offset, o.length)
	e.Line = o.line
	marker := e.Quote
	at := strings.Index(o.text, marker)
	if at > contextBytes {
		e.Quote = detect.Quote(text.Tail(o.text, len(o.text)-at+contextBytes))
	} else {
		e.Quote = detect.Quote(o.text)
	}
	return e
}

func message(o *occurrence) string {
	file := "the proposed code"
	if o.segment.Path != "" {
		file = quote.Path(o.segment.Path)
	}
	at := ""
	if o.variable != "" {
		at = " at " + quote.Name(o.variable)
	}
	line := ""
	if o.line > 0 {
		line = fmt.Sprintf(" (line %d)", o.line)
	}
	return fmt.Sprintf("Credential in %s%s%s; move to .env before committing.", file, at, line)
}

var because = map[sessionevents.SecretTier]string{
	sessionevents.SecretProvider:     "The value matches a provider's pattern (%s).",
	sessionevents.SecretNamedEntropy: "A random value is assigned to a credential-like name (%s).",
	sessionevents.SecretNamedLiteral: "A literal is assigned to a credential-like name (%s).",
	sessionevents.SecretEntropy:      "A random value is in code; its name does not say that it is a credential (%s).",
}

func reason(o *occurrence) string {
	if o.secret.Placeholder {
		return fmt.Sprintf("The value looks like an example (%s), so this is only logged.", o.secret.Rule)
	}
	if o.secret.Rule == secrets.PassedCredential {
		return fmt.Sprintf("A literal is handed over where a credential is expected (%s).", o.secret.Rule)
	}
	return fmt.Sprintf(because[o.secret.Tier], o.secret.Rule)
}

// planned returns the finding about an announcement without code.
func (d *instance) planned(p *detect.Pass, hit *sessionevents.RedFlagHit) detect.Finding {
	return detect.Finding{
		Subclass: "announced", Subject: "announced credential", Confidence: detect.Lexical(d.PlanConfidence, hit.Thinking),
		ReworkCost: d.ReworkCost, SelfCorrect: d.SelfCorrect,
		Message:  "The plan announces a hard-coded credential; read it from the environment or a secrets manager instead.",
		Reason:   "A phrase of the red-flag catalogue (" + hit.ID + ") names a credential.",
		Evidence: detect.AtFlag(p, hit),
	}
}

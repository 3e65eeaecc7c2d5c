package weakcrypto

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// finding scores a match in a segment's text; it returns false if the match is not a weakness here.
func (d *instance) finding(s *sessionevents.Segment, text string, m *codepattern.Match) (detect.Finding, bool) {
	scene := d.scene(s, text, m)
	test := d.files.Is(s.Path, files.AnyTest)
	if d.harmless(scene, m, text, test) {
		return detect.Finding{}, false
	}
	is := d.judgeScene(scene)
	if is.auth == "" && (d.Kinds[scene.kind].Outside == "silent" || scene.kind == kindHash && d.LiteralData.MatchString(m.Statement)) {
		return detect.Finding{}, false
	}
	f := detect.Finding{
		Subclass: scene.kind, CWE: m.Rule.CWE, Subject: subject(s, m),
		Confidence: d.OtherConfidence, ReworkCost: d.OtherCost, SelfCorrect: d.SelfCorrect,
		Evidence: []sessionevents.Evidence{d.evidence(s, text, m)},
	}
	switch {
	case test:
		f.Confidence *= d.TestFactor
		f.Cap = detect.LogOnly
	case is.auth != "":
		f.Confidence, f.ReworkCost = d.ScopeConfidence[string(is.auth)], d.AuthCost
		f.Floor = tenths(d.AuthFloor)
	case is.purpose != "":
		f.Cap = detect.LogOnly
	}
	if is.acknowledged != "" {
		f.Confidence *= d.AcknowledgedFactor
		f.Cap = d.grantedCap(f.Floor)
	}
	if m.Tier != "tree" {
		f.Confidence = min(f.Confidence, codepattern.PlainCap)
	}
	f.Message, f.Reason = d.message(s, m, &is), reason(m, &is, test)
	f.Fix = d.cure(m, &is)
	return f, true
}

// grantedCap returns the limit for an acknowledged weakness: the log or, in the auth
// context, the queue.
func (d *instance) grantedCap(floor sessionevents.Urgency) sessionevents.Urgency {
	if floor == 0 {
		return detect.LogOnly
	}
	return tenths(d.AcknowledgedCap)
}

func tenths(v float64) sessionevents.Urgency { return sessionevents.Urgency(math.Round(v * 10)) }

// harmless reports whether a match is not a weakness: random numbers in tests or for
// selecting an existing item, a fast hash of a password that is salted or passed to a
// slow one, verification that a named option disables, a buffer that is filled before it
// is used as an IV.
func (d *instance) harmless(s *scene, m *codepattern.Match, text string, test bool) bool {
	switch s.kind {
	case kindRandom:
		return test || d.picked(m.Statement, m.Function)
	case kindPasswordHash:
		return d.Salted.MatchString(s.statement)
	case kindTLS:
		if d.optedIn(text, m.Offset) {
			return true
		}
	}
	if fresh := m.Rule.Pattern("buffer"); fresh != nil {
		return !untouched(fresh, m)
	}
	return false
}

// Kinds of weakness with a rule of their own.
const (
	kindRandom       = "random"
	kindHash         = "hash"
	kindPasswordHash = "password_hash"
	kindTLS          = "tls"
)

// subject returns file, function and code, which a user's request is compared with.
func subject(s *sessionevents.Segment, m *codepattern.Match) string {
	return strings.Join(slices.DeleteFunc([]string{s.Path, m.Function, shortCode(m)}, func(part string) bool { return part == "" }), " ")
}

// shortCode returns the weak code in a few characters: hashlib.md5, createHash('md5'), or
// the start of the statement if nothing is called.
func shortCode(m *codepattern.Match) string {
	code := m.Callee
	if code == "" {
		code, _, _ = strings.Cut(m.Statement, "\n")
	} else if literal(m.Value) {
		code += "(" + m.Value + ")"
	}
	return text.Cut(text.Line(code), maxCode)
}

// literal reports whether code is a short text or number, such as the name of an
// algorithm or the size of a key.
func literal(code string) bool {
	const longest = 24
	return len(code) > 2 && len(code) <= longest && strings.IndexByte("\"'`0123456789", code[0]) >= 0
}

// maxCode bounds the code quoted in a message, in bytes.
const maxCode = 48

// evidence returns the weak line, from the match on.
func (d *instance) evidence(s *sessionevents.Segment, text string, m *codepattern.Match) sessionevents.Evidence {
	start := strings.LastIndexByte(text[:m.Offset], '\n') + 1
	e := detect.At(s, start, len(lineAt(text, m.Offset)))
	e.Line, e.Flow = m.Line, m.Flow
	return e
}

func (d *instance) message(s *sessionevents.Segment, m *codepattern.Match, is *setting) string {
	where := "the proposed code"
	if s.Path != "" {
		where = quote.Place(path.Base(s.Path), m.Line)
	}
	return fmt.Sprintf("%s in %s%s: %s; %s.", quote.WholeCode(shortCode(m), 6, "a call"), where, d.context(m, is), m.Rule.Message, d.cure(m, is))
}

// context describes what the weakness is part of.
func (d *instance) context(m *codepattern.Match, is *setting) string {
	switch is.auth {
	case scopeStatement:
		if d.Kinds[m.Rule.Labels["kind"]].Verb == "" {
			return ""
		}
		return fmt.Sprintf(" %s %s", d.Kinds[m.Rule.Labels["kind"]].Verb, quote.WholeCode(is.name, 1, "what is secret"))
	case scopeFunction:
		return " serves " + quote.WholeCode(is.name, 1, "what is secret")
	case scopePath:
		return " is in the auth layer"
	case scopeImport:
		return " is next to " + quote.WholeCode(is.name, 1, "what is secret")
	default:
		return ""
	}
}

// cure returns what to do instead; a password requires a slow hash.
func (d *instance) cure(m *codepattern.Match, is *setting) string {
	if better := m.Rule.Labels["for_password"]; better != "" && is.auth != "" && slices.Contains(d.Outranks, is.about) {
		return better
	}
	return m.Rule.Fix
}

func reason(m *codepattern.Match, is *setting, test bool) string {
	text := fmt.Sprintf("CWE-%d, %s", m.Rule.CWE, m.Rule.Title)
	switch {
	case test:
		text += " in a test file"
	case is.auth != "":
		text += fmt.Sprintf("; the %s names %s (%s)", is.auth, quote.WholeCode(is.name, 1, "what is secret"), is.about)
	case is.purpose != "":
		text += fmt.Sprintf("; %s shows a use without security", quote.Name(is.purpose))
	default:
		text += "; nothing around it speaks of authentication"
	}
	if is.acknowledged != "" {
		text += fmt.Sprintf("; a comment grants it (%s)", quote.Text(is.acknowledged))
	}
	return text + "."
}

package featurecreep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// announcements are what plans announce.
type announcements struct{ *turn }

// find returns the features that PLAN segments announce.
func (a *announcements) find() []feature {
	var out []feature
	for i := range a.Turn.Segments {
		segment := &a.Turn.Segments[i]
		if segment.Kind != sessionevents.SegmentPlan {
			continue
		}
		document := prose.Parse(segment.Text)
		for _, match := range a.announced.Find(document) {
			out = append(out, a.announcedIn(segment, document, match)...)
		}
	}
	return out
}

// announcedIn judges the objects of one announcement.
func (a *announcements) announcedIn(segment *sessionevents.Segment, document *prose.Document, match prose.Match) []feature {
	sentence := document.SentenceAt(match.Span.From)
	text := document.Text[sentence.From:sentence.To]
	if match.Span.To > sentence.To || strings.HasSuffix(text, "?") || a.offers.MatchString(text) {
		return nil
	}
	object, ok := match.Groups["object"]
	if !ok {
		object = prose.Span{From: match.Span.To, To: sentence.To}
	}
	said := document.Text[object.From:object.To]
	if match.ID == plain && (definite.MatchString(said) || a.scope.isOpen()) {
		return nil
	}
	var out []feature
	offset, length := document.SourceSpan(sentence)
	for _, name := range a.objects(said) {
		if a.namesNothing(name) { // "an endpoint that exports all animals as CSV"
			if name = a.withClause(said, name); a.asks(prose.Terms(name)) {
				continue
			}
		}
		if f, ok := a.announcement(name, match.ID == plain, segment.Thinking); ok {
			f.evidence = detect.At(segment, offset, length)
			out = append(out, f)
		}
	}
	return out
}

// plain is an announcement that does not call the thing additional.
const plain = "plain"

var (
	clauseEnd = pattern.Must(`[:;!?()\[\]—–]|\.(?:\s|$)|\s-\s`)
	listSplit = pattern.Must(`,\s*(?:and |or )?|\s+(?:and|or|plus|as well as|along with)\s+`)
	// definite matches names of something already known.
	definite = pattern.Must(`(?i)^\s*(?:the|this|that|these|those|your|our|its|their)\b`)
	leading  = pattern.Must(`(?i)^(?:(?:an?|the|some|another|more|extra|additional|new|support for|in)\s+)+`)
	// codeName matches an identifier or path, which names code rather than a capability.
	codeName = pattern.Must("`|[a-z][A-Z]|\\w_\\w|\\w/\\w|\\w\\.\\w|\\w\\(")
	// ownName matches one plain word in backticks: the name that a thing will have.
	ownName = pattern.Must("^`[a-z][a-z0-9:-]*`$")
	// ownCommand matches a command with its program in backticks: "`vet export` command".
	ownCommand = pattern.Must("^`[a-z][a-z0-9:-]*(?: [a-z][a-z0-9:-]*){1,2}` [a-z]+$")
)

// objects returns the names in the text after an announcement: "a CSV export and dark
// mode so that …" gives "CSV export" and "dark mode".
func (a *announcements) objects(rest string) []string {
	rest = strings.TrimSpace(rest)
	if at := clauseEnd.FindStringIndex(rest); at != nil {
		rest = rest[:at[0]]
	}
	rest = rest[:a.endOfObject(rest)]
	var names []string
	for _, part := range listSplit.Split(rest, -1) {
		part = strings.Trim(leading.ReplaceAllString(strings.TrimSpace(part), ""), " ,'\"")
		if words := strings.Fields(part); len(words) > 0 && len(words) <= a.NameWords && !a.NoObject.MatchString(part) {
			names = append(names, part)
		}
	}
	return names
}

// namesNothing reports whether a name has only words that many features share.
func (a *announcements) namesNothing(name string) bool {
	return !slices.ContainsFunc(prose.Terms(name), func(w string) bool { return !a.general[w] })
}

// withClause is such a name with the clause that says which thing it is, if that is short.
func (a *announcements) withClause(said, name string) string {
	at := strings.Index(said, name)
	if at < 0 {
		return name
	}
	rest := said[at:]
	if end := clauseEnd.FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	after, found := strings.CutPrefix(rest, name+" that ")
	if words := strings.Fields(rest); !found || strings.Contains(after, ",") || len(words) > a.NameWords {
		return name
	}
	return strings.TrimSpace(rest)
}

// endOfObject returns where a word of `object_ends` ends the named object, unless a format follows:
// "an export to CSV".
func (a *announcements) endOfObject(rest string) int {
	for from := 0; ; {
		at := a.objectEnd.FindStringIndex(rest[from:])
		if at == nil {
			return len(rest)
		}
		next := strings.Fields(rest[from+at[1]:])
		criterion := len(next) > 0 && endWord(rest[from+at[0]:from+at[1]]) == "by" && !a.ByMeans.MatchString(rest[from+at[1]:])
		if len(next) == 0 || !criterion && !a.Formats[strings.ToLower(strings.Trim(next[0], ",'\""))] {
			return from + at[0]
		}
		from += at[1]
	}
}

func endWord(match string) string { return strings.ToLower(strings.Trim(match, " ,\t\n")) }

// withoutModifiers returns the words that determine what a name means: "context-based
// agent name" is an agent name. A name of modifiers alone keeps them.
func (a *announcements) withoutModifiers(name string) string {
	fields := strings.Fields(name)
	var kept []string
	for _, field := range fields {
		lower := strings.ToLower(strings.Trim(field, "'\",`"))
		compound := slices.ContainsFunc(a.ModifierEnds, func(end string) bool { return strings.HasSuffix(lower, end) })
		if !compound && !a.Modifiers[lower] {
			kept = append(kept, field)
		}
	}
	if len(kept) == 0 {
		return name
	}
	return strings.Join(kept, " ")
}

// head returns a name up to its first preposition: "dark mode for the page" is a dark
// mode.
func (a *announcements) head(name string) string {
	fields := strings.Fields(name)
	at := slices.IndexFunc(fields, func(w string) bool { return a.Prepositions[strings.ToLower(w)] })
	if at <= 0 {
		return name
	}
	return strings.Join(fields[:at], " ")
}

// unheardHead reports whether no user mentioned the head noun of a name: a "stock report
// export" is not the stock report that was requested. A head that many features share is
// ignored.
func (a *announcements) unheardHead(name string) bool {
	words := similarity.Words(a.head(a.withoutModifiers(name)))
	if len(words) < 2 {
		return false
	}
	stem := prose.Stem(words[len(words)-1])
	return !a.general[stem] && !a.scope.holds(stem)
}

// spoken returns the words of a name, without names of code if there are others.
func spoken(name string) []string {
	var words []string
	for _, field := range strings.Fields(name) {
		if !codeName.MatchString(field) {
			words = append(words, similarity.Words(field)...)
		}
	}
	if len(words) == 0 {
		return similarity.Words(name)
	}
	return words
}

// speedsUp reports whether the task asks for more speed, so that the object is a means to
// that rather than a feature.
func (a *announcements) speedsUp(words []string) bool {
	return slices.ContainsFunc(words, in(a.fasterBy)) && slices.ContainsFunc(a.scope.texts, a.Faster.MatchString)
}

// announcement judges one object.
func (a *announcements) announcement(name string, plain, thinking bool) (feature, bool) {
	words := similarity.Words(name)
	if len(words) == 0 || a.Pointers[words[0]] {
		return feature{}, false
	}
	stems := prose.Terms(strings.Join(similarity.Words(a.withoutModifiers(name)), " "))
	called := ownCommand.MatchString(name) || slices.ContainsFunc(strings.Fields(name), ownName.MatchString)
	detail, named := a.classify(spoken(name), called)
	unheard := a.unheardHead(name)
	if len(stems) == 0 || detail || a.speedsUp(words) || a.asks(stems) && !unheard || !named && (plain || codeName.MatchString(name)) {
		return feature{}, false
	}
	f := feature{name: text.Line(name), stems: stems, subclass: "announced", confidence: a.Confidence.Unnamed, logOnly: a.scope.isOpen(), openScope: a.scope.isOpen(), unheard: unheard}
	f.core = prose.Terms(strings.Join(similarity.Words(a.withoutModifiers(a.head(name))), " "))
	if named {
		f.confidence = a.Confidence.Named
	}
	f.confidence = detect.Lexical(f.confidence, thinking)
	f.message = fmt.Sprintf("%s is not part of what was asked; leave it out and finish the requested work, or ask first.", quote.Text(f.name))
	f.reason = fmt.Sprintf("The plan announces %s, which no user message asks for.", quote.Text(f.name))
	return f, true
}

// classify reports whether words name an implementation detail or a kind of user-visible
// capability; the head of the name takes precedence. Called is set if an identifier
// accompanies the words.
func (a *announcements) classify(words []string, called bool) (detail, named bool) {
	end := slices.IndexFunc(words, func(w string) bool { return a.Prepositions[w] })
	if end <= 0 {
		end = len(words)
	}
	head, before := words[end-1], words[:end-1]
	details, capability := in(a.details), in(a.capabilities)
	otherwise := slices.ContainsFunc(before, func(w string) bool { return !details(w) && !in(a.alone)(w) })
	switch {
	case end < len(words) && a.Compounds[strings.ToLower(head+" "+words[end])]: // "logging in with a card"
		return false, true
	case end > 1 && a.Compounds[strings.ToLower(words[end-2]+" "+head)], called && a.Called[strings.ToLower(head)]:
		return false, true
	case details(head) || in(a.alone)(head) && !otherwise:
		return true, false
	case capability(head):
		return false, true
	}
	return slices.ContainsFunc(before, details), slices.ContainsFunc(before, capability)
}

// in returns a function that reports whether a word's stem is in the set.
func in(stems map[string]bool) func(string) bool {
	return func(word string) bool { return stems[prose.Stem(word)] }
}

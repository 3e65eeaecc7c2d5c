package patterncontradiction

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// reader reads the rules that texts state: conventions, messages of a person, instruction files.
type reader struct {
	config
	libraries *families.Catalogue
	decisions *decisions
	said      *prose.Phrases
}

// conventionRules returns the rules of one declared convention: from its fields, else from its
// words. What a manifest implies is not a rule; see [turn.established].
func (d *reader) conventionRules(c *sessionevents.Convention) []*rule {
	if c.Inferred {
		return nil
	}
	r := rule{origin: fromConvention, id: c.ID, text: strings.TrimSpace(c.Rule), established: c.Wrapper, scope: c.Paths}
	if r.text == "" {
		r.text = c.ID
	}
	library := d.libraries.NamedInRule(c.Wrapper)
	r.wrapper = c.Wrapper != "" && len(library) == 0
	for _, b := range c.Bypass {
		r.targets = append(r.targets, d.declaredTargets(b)...)
	}
	switch {
	case len(r.targets) > 0:
	case r.wrapper:
		r.targets = d.covered(d.job(c), c.Wrapper)
	case len(library) > 0:
		d.establish(&r, c.Wrapper, c.Family)
	}
	if len(r.targets) > 0 {
		return []*rule{&r}
	}
	r.inWords = true
	return d.statedRules(c.Rule, &r)
}

// statedRules are the rules that a text states: what it allows and forbids in so many words, and what
// it settles (SW-13a). A sentence that is read in the first way is not read in the second.
func (d *reader) statedRules(text string, like *rule) []*rule {
	out := d.rulesIn(text, like)
	if like.origin == fromUser && d.Soft.MatchString(text) {
		return out
	}
	read := map[string]bool{}
	for _, r := range out {
		read[r.text] = r.kind == forbids
	}
	for _, r := range d.decisions.rulesIn(text, like) {
		if !read[r.text] {
			out = append(out, r)
		}
	}
	return out
}

// job is the family that a convention is about, nil if it does not say.
func (d *reader) job(c *sessionevents.Convention) *families.Family {
	if f := d.libraries.Family(c.Family); f != nil {
		return f
	}
	if f := d.libraries.Wraps(c.Wrapper); f != nil {
		return f
	}
	return d.libraries.About(c.Family + " " + c.Rule)
}

// declaredTargets returns the targets of a bypass entry: the library of that name in any language,
// and the literal import or call.
func (d *reader) declaredTargets(entry string) []target {
	out := []target{{literal: strings.TrimSuffix(strings.Trim(entry, "` "), "()")}}
	for _, m := range d.libraries.NamedInRule(entry) {
		out = append(out, target{member: m})
	}
	return out
}

// covered returns the things of a job that a project's own wrapper replaces.
func (d *reader) covered(f *families.Family, wrapper string) []target {
	if f == nil || len(f.Wrappers) == 0 || wrapper == "" {
		return nil
	}
	var out []target
	for _, m := range f.Members {
		out = append(out, target{member: m})
	}
	return out
}

// rulesIn are the rules that a text states, each like the given one.
func (d *reader) rulesIn(text string, like *rule) []*rule {
	document := prose.Parse(text)
	matches := d.said.Find(document)
	var out []*rule
	for _, m := range matches {
		sentence := document.SentenceAt(m.Span.From)
		if like.origin == fromUser && d.isSoft(m.ID, document.Masked[sentence.From:sentence.To]) {
			continue
		}
		r := *like
		r.text = document.Text[sentence.From:sentence.To]
		r.placed(d.Place, document.Text[m.Span.From:sentence.To])
		if d.fill(&r, m, document, sentence, matches) {
			out = append(out, &r)
		}
	}
	return out
}

// isSoft reports whether a sentence is a wish or a step. "Keep X for now" holds for
// the work at hand.
func (d *reader) isSoft(id, sentence string) bool {
	found := strings.ToLower(d.Soft.FindString(sentence))
	return found != "" && !(found == "for now" && (id == "keep" || id == "stay"))
}

// ordersOnly are statements that say the same about other things than the work
// ("the hook only changes a.go") unless they are orders.
var ordersOnly = map[string]bool{"files": true, "limit": true, "keep": true, "stay": true}

// orders reports whether a statement after the beginning of a sentence is an order: its own, or the manner
// of one ("make it faster without changing the tests").
func (d *reader) orders(before, statement string) bool {
	return d.Order.MatchString(before) ||
		strings.HasPrefix(strings.ToLower(statement), "without") && !d.Narrates.MatchString(before)
}

// fill makes r of one match; false if it says nothing that can be checked.
func (d *reader) fill(r *rule, m prose.Match, document *prose.Document, sentence prose.Span, all []prose.Match) bool {
	part := func(of prose.Match, name string) string {
		if span, ok := of.Groups[name]; ok {
			return document.Text[span.From:span.To]
		}
		return ""
	}
	before, statement := document.Masked[sentence.From:m.Span.From], document.Masked[m.Span.From:]
	if ordersOnly[m.ID] && r.origin == fromUser && !d.orders(before, statement) {
		return false
	}
	switch m.ID {
	case "instead":
		r.established, r.local = bare(part(m, "use")), r.origin == fromUser
		return d.forbid(r, part(m, "avoid"), d.libraries.NamedInRule)
	case "forbid":
		r.established = beside(m, all, part, document)
		return d.forbid(r, part(m, "avoid"), d.libraries.NamedInRule)
	case "banned", "none", "shun": // "no time" names no library
		r.established = beside(m, all, part, document)
		return d.forbid(r, part(m, "avoid"), d.libraries.Named)
	case "named": // "date-fns, not moment": both are libraries, or it says nothing
		r.established, r.local = bare(part(m, "use")), r.origin == fromUser
		if len(d.libraries.NamedInRule(r.established)) == 0 && len(d.decisions.topics.Named(r.established)) == 0 {
			return false
		}
		return d.forbid(r, part(m, "avoid"), d.libraries.NamedInRule)
	case "through", "for":
		return d.establish(r, part(m, "use"), part(m, "topic"))
	case "only":
		return d.establish(r, part(m, "use"), "")
	case "dependencies":
		r.kind = noDependencies
		return true
	case "files":
		r.kind = noFiles
		return d.sortOfFiles(r, part(m, "sort"))
	case "limit":
		r.kind = onlyPaths
		r.paths = d.listedPaths(part(m, "kept"))
		return len(r.paths) > 0
	case "keep", "stay":
		return d.keep(r, part(m, "kept"), m.ID == "stay")
	}
	return false
}

// beside is what the same sentence says to use in place of what it forbids.
func beside(m prose.Match, all []prose.Match, part func(prose.Match, string) string, document *prose.Document) string {
	sentence := document.SentenceAt(m.Span.From)
	for _, other := range all {
		use := bare(part(other, "use"))
		if use == "" || other.Span.From < sentence.From || other.Span.From >= sentence.To {
			continue
		}
		if !slices.ContainsFunc(all, func(f prose.Match) bool { return part(f, "avoid") != "" && overlap(f, other) }) {
			return use
		}
	}
	return ""
}

func overlap(a, b prose.Match) bool { return a.Span.From < b.Span.To && b.Span.From < a.Span.To }

var (
	listed  = pattern.Must(`,\s*(?:or |and )?|\s+(?:or|and)\s+`)
	always  = pattern.Must(`(?i)\b(?:all|any|every|always|only|never)\b`)
	alone   = pattern.Must(`(?i)\b(?:only|exclusively|strictly|solely|nothing else|no other)\b`)
	article = pattern.Must(`(?i)^(?:the|our|a|an|my|this|that|any|all)\s+`)
)

// bare is a name without marks and article.
func bare(phrase string) string {
	return article.ReplaceAllString(strings.Trim(strings.ReplaceAll(phrase, "`", ""), " ,.;:'\""), "")
}

// forbid makes r forbid the things a list names.
func (d *reader) forbid(r *rule, things string, named func(string) []*families.Member) bool {
	for _, thing := range listed.Split(things, -1) {
		members := named(thing)
		for _, m := range members {
			r.targets = append(r.targets, target{member: m})
		}
		if len(members) > 0 {
			continue
		}
		choices := d.decisions.topics.Named(bare(thing))
		for _, choice := range choices {
			r.targets = append(r.targets, target{choice: choice})
		}
		switch name := bare(thing); {
		case len(choices) > 0 || strings.TrimSuffix(name, "()") == "": // it names nothing
		case isCode(thing) && !slices.Contains(strings.Fields(name), ""):
			r.targets = append(r.targets, target{literal: strings.TrimSuffix(name, "()")})
			if moduleName.MatchString(name) && !strings.HasPrefix(thing, "`") {
				r.targets = append(r.targets, target{module: name})
			}
		case moduleName.MatchString(name) && !d.NotModules[strings.ToLower(name)]:
			r.targets = append(r.targets, target{module: name})
		}
	}
	if r.established == "" {
		return len(r.targets) > 0
	}
	r.wrapper = len(d.libraries.NamedInRule(r.established)) == 0
	return len(r.targets) > 0
}

// establish makes r forbid the other ways of the job that a thing is named for.
func (d *reader) establish(r *rule, use, topic string) bool {
	r.established = bare(use)
	members := d.libraries.NamedInRule(use)
	if len(members) == 0 {
		if f := d.jobOf(topic, r.established); f != nil && isCode(use) && d.isModule(r.established, f, r.origin) {
			r.wrapper, r.targets = true, d.covered(f, r.established)
		}
		return len(r.targets) > 0
	}
	for _, m := range members {
		if f := d.libraries.About(topic); f != nil && f != m.Family() {
			continue // named for another job
		}
		for _, other := range m.Family().Members {
			// What lies below it is ruled out only where it is for all of the job; what goes together with it
			// where nothing else is to be used.
			below := other.Raw && always.MatchString(r.text) || alone.MatchString(r.text)
			if m.Rivals(other) || below && other != m && other.Language == m.Language {
				r.targets = append(r.targets, target{member: other})
			}
		}
	}
	return len(r.targets) > 0
}

// jobOf is the family that a topic is about, else the one that a module of such a name does the job of:
// "visits go through VisitRepository.php".
func (d *reader) jobOf(topic, module string) *families.Family {
	if f := d.libraries.About(topic); f != nil {
		return f
	}
	words := similarity.Words(strings.TrimSuffix(path.Base(module), path.Ext(module)))
	for i := range d.Layers {
		if d.Layers[i].Family != "" && share(words, d.Layers[i].Words) {
			return d.libraries.Family(d.Layers[i].Family)
		}
	}
	return nil
}

// isCode reports whether a phrase is a name of the code's: marked, or one word
// that no prose holds.
func isCode(phrase string) bool {
	phrase = strings.TrimSpace(article.ReplaceAllString(strings.TrimSpace(phrase), ""))
	if strings.ContainsAny(strings.Trim(phrase, "`"), " \t") {
		return false
	}
	return strings.HasPrefix(phrase, "`") || codeWord.MatchString(phrase)
}

// moduleName is one word that could be a library that no family knows.
var moduleName = pattern.Must(`^@?[A-Za-z][\w-]{2,}$`)

var codeWord = pattern.Must(`[a-z][A-Z]|\w_\w|\w/\w|\w\.\w|\w\(\)|^@\w|::`)

// isModule reports whether a name can be the project's own module for a job: no
// document or data file, and, in a user's words, one that is called like it or a
// path ("use `user_id` for all queries" names none).
func (d *reader) isModule(name string, job *families.Family, origin string) bool {
	language := syntax.LanguageOf(name)
	if language != "" && !syntax.Reads(language) {
		return false
	}
	return origin == fromConvention || language != "" || strings.Contains(name, "/") || d.libraries.Wraps(name) == job
}

// sortOfFiles reads which files may not be made; an unknown sort makes no rule.
func (d *reader) sortOfFiles(r *rule, sort string) bool {
	sort = strings.ToLower(bare(sort))
	if known := cmp.Or(entryOf(d.Sorts, sort), entryOf(d.Languages, sort)); known != "" {
		r.sorts = []string{known}
		return true
	}
	return sort == "" || sort == "source" || sort == "code"
}

// keep reads paths, names and sorts of files that are to stay.
func (d *reader) keep(r *rule, kept string, onlyExistence bool) bool {
	r.kind = keepsPaths
	if onlyExistence {
		r.kind = keepsExistence
	}
	if at := d.KeptEnd.FindStringIndex(kept); at != nil {
		kept = kept[:at[0]]
	}
	r.paths = d.listedPaths(kept)
	for _, m := range d.Identifier.FindAllStringSubmatch(kept, -1) {
		for _, name := range m[1:] {
			if name != "" && !slices.ContainsFunc(r.paths, func(p string) bool { return strings.Contains(p, name) }) {
				r.names = append(r.names, name[strings.LastIndexByte(name, '.')+1:])
			}
		}
	}
	for _, thing := range listed.Split(kept, -1) {
		thing = strings.ToLower(bare(strings.SplitN(thing, "(", 2)[0]))
		if sort := entryOf(d.Sorts, thing); sort != "" {
			r.sorts = append(r.sorts, sort)
		}
	}
	return len(r.paths)+len(r.names)+len(r.sorts) > 0
}

// listedPaths returns the paths that a text lists, without trailing punctuation. Where other words
// come before the first path, the text is not about the files.
func (d *reader) listedPaths(text string) []string {
	var out []string
	if first := d.Path.FindStringIndex(text); first == nil || !d.KeptFiller.MatchString(text[:first[0]]) {
		return nil
	}
	for _, p := range append(d.Path.FindAllString(text, -1), roots(text)...) {
		if p = strings.TrimRight(strings.TrimSuffix(strings.TrimPrefix(p, "./"), "*"), "/."); p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// roots are the folders of the root that a text places files in: "under /workspace".
func roots(text string) (out []string) {
	for _, m := range placedIn.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

var placedIn = pattern.Must(`\b(?:under|in|within|inside|below) (/[\w.-]+)`)

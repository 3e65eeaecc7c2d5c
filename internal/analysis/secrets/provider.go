package secrets

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// reach is how many bytes after its keyword a match is sought, if the rule data
// does not say more; the text is then followed to the next white space.
const reach = 512

// reachOfPlace is reach for values that only their place makes a secret: they are near.
const reachOfPlace = 320

// maximumRun bounds how far a run without white space is followed.
const maximumRun = 64 << 10

// longReach are rules whose matches cover several lines.
var longReach = map[string]int{"private-key": 24 << 10, "private-key-cut": 24 << 10, "curl-auth-header": 4096, "curl-auth-user": 4096}

// providers looks for the keys of providers, and for values that only their place makes secret.
type providers struct {
	*scan
	progress map[int]*ruleProgress

	wordsRead              bool
	chosenWords, longWords []int // ends of words that could be passwords or tokens
}

// providerRule is one gitleaks rule with what is known of where it can match.
type providerRule struct {
	*catalogued
	expression, path *pattern.Regexp // path is nil for any
	allowed          []allowlist
	named            bool // assignment to the provider's name: [\w.-]{0,50}?(?:name)…
	before           int  // bytes a match may begin before its keyword, -1: anywhere
	reach            int
	look             Look // of its value, where only its place makes it a secret
	inNames          bool // the expression also holds in names, where no white space or quote follows
}

// gitleaksEnd is how gitleaks ends an expression: what follows a key in code. In the name of a file, in the path of a
// URL and in prose something else does; namesEnd ends it there as well.
const (
	gitleaksEnd = `(?:[\x60'"\s;]|\\[nr]|$)`
	namesEnd    = `(?:[^\w\-]|$)`
)

// inName returns an expression that also holds in names, for a key that is known by how it begins.
func inName(rule *catalogued) (expression string, is bool) {
	begin, is := strings.CutSuffix(rule.Expression, gitleaksEnd)
	if !is || !rule.Lead.WordStart {
		return rule.Expression, false
	}
	return begin + namesEnd, true
}

// endsAsCode reports whether what follows a match ends it in gitleaks' expressions, too. In a name, other text may begin
// like a key: of those, keys have digits.
func endsAsCode(match, value string) bool {
	_, end, _ := strings.Cut(match, value)
	return end == "" || strings.ContainsAny(end, "`'\";\\ \t\r\n\f")
}

// fewDigits is how many digits a text in a name must have to be a key.
const fewDigits = 2

func digits(s string) (n int) {
	for i := range len(s) {
		if kindOf(s[i]) == 'd' {
			n++
		}
	}
	return n
}

func newProviderRule(rule *catalogued, c Config) providerRule {
	expression, named := inName(rule)
	p := providerRule{
		catalogued: rule, inNames: named, expression: pattern.MustRE2(expression), path: optional(rule.Path), allowed: allowlists(rule.Allowed),
		before: -1, reach: reach, look: c.Judged[rule.ID],
	}
	if p.look != "" {
		p.reach = reachOfPlace
	}
	p.named = isNamed(rule.Expression)
	if n, ok := c.Before[rule.ID]; ok {
		p.before = n
	}
	if n, ok := longReach[rule.ID]; ok {
		p.reach = n
	}
	return p
}

// isNamed reports whether an expression begins with the provider's name in any
// longer name, as gitleaks writes assignments.
func isNamed(expression string) bool {
	return strings.HasPrefix(strings.TrimPrefix(expression, "(?i)"), `[\w.-]{0,50}?`)
}

// provider looks for matches of rule r around a keyword at pos.
func (sc *providers) provider(r, pos, keywordLength int, place placing) {
	rule := &sc.rules[r]
	if rule.path != nil && !rule.path.MatchString(sc.path) {
		return
	}
	from := pos
	switch place {
	case atKeyword:
		if !rule.Lead.fits(sc.text, pos) {
			return
		}
	case afterName:
		if !assigned(sc.text[pos+keywordLength:]) {
			return
		}
	case nearKeyword:
		from = wordStart(sc.text, max(0, pos-rule.before))
	case anywhere:
		from, pos = 0, len(sc.text)
	}
	progress := sc.progressOf(r)
	if pos < progress.covered {
		return
	}
	// Every further place looks farther ahead, and places within what was looked
	// at are left out: so hostile input costs no more than its length.
	ahead := rule.reach * min(progress.looks, maximumAhead)
	progress.looks++
	end := runEnd(sc.text, pos+rule.reach+ahead)
	if progress.covered = pos + ahead; end == len(sc.text) {
		progress.covered = end
	}
	if rule.look != "" && !sc.plausible(rule.look, from, end) {
		return
	}
	sc.matches(r, from, sc.text[from:end])
}

// maximumAhead bounds how many times its reach a rule looks ahead.
const maximumAhead = 64

// ruleProgress is how far a rule has read the text.
type ruleProgress struct {
	matched int // end of its last match
	covered int // places before this have been looked at
	looks   int
}

func (sc *providers) progressOf(rule int) *ruleProgress {
	if sc.progress == nil {
		sc.progress = map[int]*ruleProgress{}
	}
	if sc.progress[rule] == nil {
		sc.progress[rule] = &ruleProgress{}
	}
	return sc.progress[rule]
}

// wordStart moves pos back to where its word begins, so that \b means the same
// in a part of the text as in the whole.
func wordStart(s string, pos int) int {
	for n := 0; n < 256 && pos > 0 && text.IsWord(s[pos-1]); n++ {
		pos--
	}
	return pos
}

// runEnd moves end after the next white space, so that $ means the same.
func runEnd(text string, end int) int {
	if end >= len(text) {
		return len(text)
	}
	if i := strings.IndexAny(text[end:min(len(text), end+maximumRun)], " \t\r\n"); i >= 0 {
		return end + i + 1
	}
	return min(len(text), end+maximumRun)
}

// assigned is the cheap part of gitleaks' assignment pattern: within 64 bytes
// an operator, with only name characters, white space and quotes before it.
func assigned(rest string) bool {
	for i := 0; i < len(rest) && i < 64; i++ {
		switch c := rest[i]; {
		case c == '=' || c == '>' || c == ':' || c == '|' || c == '?' || c == ',':
			return true
		case text.IsWord(c) || c == '.' || c == '-' || c == '\'' || c == '"' || c == '\\' || isSpace(c):
		default:
			return false
		}
	}
	return false
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// matches runs rule r over part, which begins at from.
func (sc *providers) matches(r, from int, part string) {
	rule, progress := &sc.rules[r], sc.progressOf(r)
	for _, at := range rule.expression.FindAllStringSubmatchIndex(plainQuotes(part), -1) {
		start, end := secretGroup(rule.Group, part, at)
		if start < 0 || from+at[0] < progress.matched {
			continue
		}
		match := part[at[0]:at[1]]
		if rule.inNames && !endsAsCode(match, part[start:end]) && digits(part[start:end]) < fewDigits {
			continue
		}
		progress.matched = from + at[1]
		if f, ok := sc.judgeProvider(rule, from+start, from+end, match); ok {
			sc.found = append(sc.found, f)
		}
	}
}

// plainQuotes replaces the backslashes of escaped quotes and line ends by blanks: in JSON inside a
// string they separate a key from its end mark.
func plainQuotes(part string) string {
	if strings.IndexByte(part, '\\') < 0 {
		return part
	}
	out := []byte(part)
	for i := 0; i < len(out); i++ {
		if out[i] != '\\' {
			continue
		}
		run := i
		for run < len(out) && out[run] == '\\' {
			run++
		}
		if run < len(out) && (out[run] == '"' || out[run] == '\'' || out[run] == 'n' || out[run] == 'r') {
			for j := i; j < run; j++ {
				out[j] = ' '
			}
			if out[run] == 'n' || out[run] == 'r' {
				out[run] = '\n'
			}
		}
		i = run
	}
	return string(out)
}

// secretGroup is the span of the secret within part: the group the rule names,
// else the first group that is not empty, else the match without line ends.
func secretGroup(group int, part string, at []int) (start, end int) {
	if group > 0 {
		return at[2*group], at[2*group+1]
	}
	for g := 2; g < len(at); g += 2 {
		if at[g] >= 0 && at[g+1] > at[g] {
			return at[g], at[g+1]
		}
	}
	match := part[at[0]:at[1]]
	start = at[0] + len(match) - len(strings.TrimLeft(match, "\n"))
	return start, max(start, at[0]+len(strings.TrimRight(match, "\n")))
}

// judgeProvider applies the rule's entropy and allow lists. A value that fails them is not a
// finding, unless it declares itself an example.
func (sc *providers) judgeProvider(rule *providerRule, start, end int, match string) (Finding, bool) {
	value := sc.text[start:end]
	f := Finding{
		Rule: rule.ID, Tier: TierProvider, Start: start, End: end, Value: value,
		Entropy: entropy(value), Confidence: sc.config.Confidence.Provider, Validated: true, TestFile: sc.testFile(),
	}
	if strings.HasPrefix(value, "$") || strings.Contains(value, "${") || strings.Contains(value, ":$") || strings.Contains(value, MarkerOpen) {
		return f, false
	}
	if sc.generic[rule.ID] {
		user, password, both := strings.Cut(value, ":")
		if !both {
			user, password = "", value
		}
		ok := sc.judgeCredential(&f, rule.ID, user, password)
		return f, ok
	}
	if rule.look != "" {
		ok := sc.judgeLook(&f, rule.look)
		return f, ok
	}
	valid := (rule.Entropy == 0 || f.Entropy > rule.Entropy) && !sc.allowed(rule, value, match, start) && structured(rule.ID, value)
	if valid {
		return f, true
	}
	f.Validated, f.Placeholder, f.Confidence = false, true, sc.config.Confidence.Placeholder
	return f, strings.Contains(value, "EXAMPLE")
}

// longValue is the length at which the library's global allow list stops counting: one of its
// expressions takes every value that holds "false", which a private key does by chance.
const longValue = 64

func (sc *providers) allowed(rule *providerRule, value, match string, start int) bool {
	global := sc.allowlists
	if len(value) > longValue {
		global = nil
	}
	for _, lists := range [2][]allowlist{global, rule.allowed} {
		for i := range lists {
			if lists[i].holds(sc.path, value, match, func() string { return lineAt(sc.text, start) }) {
				return true
			}
		}
	}
	return false
}

// maximumLine bounds a line on each side of a match, in bytes.
const maximumLine = 4 << 10

func lineAt(text string, pos int) string {
	before := text[max(0, pos-maximumLine):pos]
	after, _, _ := strings.Cut(text[pos:min(len(text), pos+maximumLine)], "\n")
	return before[strings.LastIndexByte(before, '\n')+1:] + after
}

func isPrivateKey(rule string) bool { return rule == "private-key" || rule == "private-key-cut" }

// structured checks what an expression cannot: a JWT's header is JSON, a
// private key's body is base64.
func structured(rule, value string) bool {
	switch {
	case rule == "jwt" || rule == "jwt-unsigned":
		header, _, _ := strings.Cut(value, ".")
		raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(header, "="))
		return err == nil && json.Valid(raw)
	case isPrivateKey(rule):
		return base64Share(value) >= 0.75
	default:
		return true
	}
}

// base64Share returns the share of a key block's body that consists of runs of base64, not counting
// escapes, quotes and white space.
func base64Share(block string) float64 {
	_, body, _ := strings.Cut(block, "KEY")
	if i := strings.Index(body, "-----END"); i >= 0 {
		body = body[:i]
	}
	body = strings.NewReplacer(`\n`, "\n", `\r`, "\n", `\`, "", "-----", "", "BLOCK", "").Replace(body)
	good, all := 0, 0
	for _, run := range strings.FieldsFunc(body, func(r rune) bool { return r <= ' ' || r == '"' || r == '\'' || r == ',' }) {
		run = strings.Trim(run, "+-")
		all += len(run)
		if len(run) >= minimumRun {
			good += base64Bytes(run)
		}
	}
	if all < 64 {
		return 0
	}
	return float64(good) / float64(all)
}

// minimumRun is the least length of a line of base64; words are shorter.
const minimumRun = 16

func base64Bytes(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; text.IsWord(c) && c != '_' || c == '+' || c == '/' || c == '=' {
			n++
		}
	}
	return n
}

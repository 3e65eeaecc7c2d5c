package secretleak

import (
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// credentials knows which names, files and outputs hold credentials.
type credentials struct {
	config config
	files  *files.Table
}

// secretName reports whether a variable, field or setting of this name holds a credential.
func (c *credentials) secretName(name string) bool {
	words := split(name)
	if len(words) == 0 || c.config.Names.Not[words[len(words)-1]] || c.config.Names.Not[words[0]] {
		return false
	}
	for i, w := range words {
		if c.config.Names.Words[w] || i > 0 && c.config.Names.Pairs[words[i-1]+" "+w] {
			return true
		}
	}
	// SLACK_TOKEN is an environment variable, token a word of a grammar.
	return len(words) > 1 && name == strings.ToUpper(name) && c.config.VariableEnds[words[len(words)-1]]
}

// split splits a name into words: apiKey, API_KEY and api-key are "api", "key".
func split(name string) []string {
	var words []string
	var word []rune
	var before rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	for _, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			end()
		case unicode.IsUpper(c) && unicode.IsLower(before):
			end()
			word = append(word, c)
		default:
			word = append(word, c)
		}
		before = c
	}
	end()
	return words
}

// secretFile reports whether a file contains credentials.
func (c *credentials) secretFile(p string) bool {
	p = strings.Trim(p, `"'`)
	return c.files.Is(p, files.Secret) && !c.config.Harmless.MatchString(p) &&
		!c.files.Is(p, files.AnyTest|files.Example|files.Vendored)
}

// aside reports whether a file is none of the program: a test, a document, an example, a list of versions.
func (c *credentials) aside(p string) bool {
	return c.files.Is(p, files.AnyTest|files.Document|files.Example|files.Lock) || c.config.Harmless.MatchString(p)
}

// firstFile returns the first of some arguments that names a file of credentials, also
// after "@" as a body, or after "=".
func (c *credentials) firstFile(args []string) string {
	for _, a := range args {
		if _, file, ok := strings.Cut(a, "@"); ok && c.secretFile(file) {
			return file
		}
		if !strings.HasPrefix(a, "-") && c.secretFile(a) {
			return a
		}
	}
	return ""
}

// answer is what an output shows about a credential.
type answer int

const (
	no    answer = iota
	yes          // it contains a value
	empty        // it shows that the value is missing
)

// shows checks for a credential's value in the stored part of an output.
func (c *credentials) shows(r *sessionevents.ResultDigest) answer {
	if r == nil {
		return no
	}
	text := r.Head + "\n" + r.Tail
	if strings.Contains(text, "‹secret:") || c.config.Value.MatchString(text) {
		return yes
	}
	for _, at := range c.config.Assignment.FindAllStringSubmatchIndex(text, 64) {
		name, value := text[at[2]:at[3]], text[at[4]:at[5]]
		call := strings.HasPrefix(text[at[5]:], "(") // code that fetches it
		if c.secretName(name) && !call && !c.config.Placeholders.MatchString(value) && !strings.Contains(value, "***") {
			return yes
		}
	}
	for line := range strings.Lines(text) {
		if line = strings.Trim(line, "* \r\n"); line != "" && !strings.HasPrefix(line, "(no output") && !unset(line) {
			return no
		}
	}
	return empty
}

// prints reports whether an output has a line with a credential's name and value.
func (c *credentials) prints(r *sessionevents.ResultDigest) bool {
	text := r.Head + "\n" + r.Tail
	for _, m := range c.config.Assignment.FindAllStringSubmatch(text, 64) {
		if c.secretName(m[1]) && (strings.HasPrefix(m[2], "‹secret:") || c.literal(m[2])) {
			return true
		}
	}
	return false
}

// unset reports whether a line says that a variable has no value: "TOKEN=".
func unset(line string) bool {
	name, value, ok := strings.Cut(line, "=")
	return ok && strings.TrimSpace(value) == "" && !strings.Contains(name, " ")
}

// asked reports whether a person asked for what is exposed, by its name.
func (d *instance) asked(p *detect.Pass, l *leak) bool {
	base := strings.ToLower(strings.Trim(l.what[strings.LastIndexByte(l.what, '/')+1:], `$"'`))
	for _, r := range p.Baseline().Requests {
		if p.Turn.Turn-r.Turn > d.config.RequestTurns {
			continue
		}
		for _, s := range prose.Sentences(r.Text) {
			sentence := strings.ToLower(s.Text)
			told := func(act string) bool { return d.told(sentence, act) }
			if strings.Contains(sentence, base) && slices.ContainsFunc(d.config.Asks, told) && !forbids(sentence) {
				return true
			}
		}
	}
	return false
}

// told reports whether a sentence orders an act (JD-31): "print the token", not "where do we print it".
func (d *instance) told(sentence, act string) bool {
	at := strings.Index(sentence, act)
	return word(sentence, act) && d.requests.Tells(sentence[:at])
}

func forbids(sentence string) bool {
	return strings.Contains(sentence, "not ") || strings.Contains(sentence, "n't ") || strings.Contains(sentence, "never ") || strings.Contains(sentence, "avoid ") || strings.Contains(sentence, "without ")
}

// word reports whether a text contains a word or phrase as whole words.
func word(text, phrase string) bool {
	return strings.Contains(" "+strings.Join(strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" ,.;:!?\"()`", c) }), " ")+" ", " "+phrase+" ")
}

// reasons explain why each way matters.
var reasons = map[way]string{
	wayShown:   "What a tool prints goes into the transcript, to the model's provider and into logs.",
	wayLogged:  "A log is kept longer and read by more people than the secret is meant for.",
	waySent:    "What was sent to another machine is not called back.",
	wayCopied:  "A copy on another machine has to be looked after and changed like the first one.",
	wayCommit:  "What is committed stays in the history for everybody who clones it.",
	wayEncoded: "An encoded secret is a secret: whoever reads it decodes it.",
}

// message returns what was exposed and what to do about it.
func (l *leak) message() string {
	what := short(l.what)
	switch l.way {
	case waySent:
		return "This sends " + what + " to another machine. Stop, tell the person, and have the credentials in it changed."
	case wayCopied:
		return "This copies " + what + " to another machine. Use the secret store of that machine, or ask the person first."
	case wayCommit:
		return "This commits " + what + ", which holds credentials. Take it out of the index, ignore it, and change what was pushed."
	case wayEncoded:
		return "This encodes " + what + ", which holds credentials, into something anyone can decode. Use the secret where it is."
	case wayLogged:
		return "This writes " + what + " to a log. Log that it is set, or a masked form."
	}
	switch {
	case strings.HasPrefix(what, "$"), !strings.ContainsFunc(what, notOfName):
		what = "the value of " + what
	case !strings.HasPrefix(what, "a "):
		what = "credentials of " + what
	}
	return "This shows " + what + ". Test whether it is set, or mask it, instead of showing it."
}

// notOfName reports whether no variable's or field's name has a character.
func notOfName(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }

func short(what string) string {
	const limit = 60
	if r := []rune(what); len(r) > limit {
		return "what is in it" // a part of it would not be meaningful (JD-40)
	}
	return what
}

// removes reports whether an edit removes the quoted line.
func removes(diff *sessionevents.Diff, quoted string) bool {
	quoted = strings.TrimSpace(quoted)
	in := func(lines []sessionevents.Line) bool {
		return slices.ContainsFunc(lines, func(l sessionevents.Line) bool { return quoted != "" && strings.Contains(l.Text, quoted) })
	}
	return in(diff.Removed()) && !in(diff.Added())
}

// undoes reports whether a command removes a file from git again.
func undoes(command string) bool {
	return has(command, []string{"git rm --cached", "git reset", "git restore --staged", "git revert", "filter-repo"})
}

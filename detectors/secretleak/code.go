package secretleak

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// code returns the leak of code that an edit adds, nil for none. Moved code is not new.
func (d *instance) code(s *sessionevents.Segment) *leak {
	if d.aside(s.Path) {
		return nil
	}
	removed := map[string]bool{}
	for _, l := range s.Diff.Removed() {
		removed[strings.TrimSpace(l.Text)] = true
	}
	held := d.held(s.Diff)
	at := 0
	for i, line := range s.Diff.Added() {
		if i >= d.config.MaxLines {
			break
		}
		text := strings.TrimSpace(line.Text)
		if len(text) < 1000 && !removed[text] && !comment(text) {
			if l := d.line(text, held); l != nil {
				l.at = at + strings.Index(line.Text, text)
				l.end = l.at + len(text)
				return l
			}
		}
		at += len(line.Text) + 1
	}
	return nil
}

func comment(text string) bool {
	return strings.HasPrefix(text, "//") || strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "#!") || strings.HasPrefix(text, "*") || strings.HasPrefix(text, "--")
}

// program returns the leak of a program given on the command line.
func (d *instance) program(s *sessionevents.Segment) *leak {
	for _, i := range d.shell.Invocations(s.Tool.Command) {
		text := i.Input
		if k := slices.IndexFunc(i.Args, func(a string) bool { return a == "-c" || a == "-e" }); k >= 0 && k+1 < len(i.Args) {
			text += "\n" + i.Args[k+1]
		}
		if text == "" || !slices.Contains(d.config.Interpreters, i.Name) {
			continue
		}
		held := d.heldIn(nil, text)
		for line := range strings.Lines(text) {
			if l := d.line(strings.TrimSpace(line), held); l != nil {
				shown := d.shows(s.Result)
				if l.way == wayLogged && shown != yes {
					continue
				}
				if l.way == wayLogged {
					l.way, l.seen = wayShown, true
				}
				return l
			}
		}
	}
	return nil
}

// line returns the leak of one line of code; held are variables with a credential.
func (d *instance) line(text string, held map[string]bool) *leak {
	if d.config.Settings.MatchString(text) {
		return &leak{way: wayLogged, what: "every header of its requests"}
	}
	if d.config.Sending.MatchString(text) && !d.config.LoginURL.MatchString(text) {
		if m := d.config.SendsEnv.FindStringSubmatch(text); m != nil && d.secretName(m[1]) {
			return &leak{way: waySent, what: "$" + m[1]}
		}
	}
	for _, p := range []*pattern.Regexp{d.config.Logging, d.config.Throwing, d.config.Labels} {
		if m := p.FindStringSubmatch(text); m != nil {
			if what := d.written(m[1], held); what != "" {
				return &leak{way: wayLogged, what: what, seen: true}
			}
		}
	}
	return nil
}

// written returns the credential among the arguments of a call that writes them.
func (d *instance) written(args string, held map[string]bool) string {
	if d.config.Masked.MatchString(args) {
		return ""
	}
	if d.config.Everything.MatchString(args) {
		return strings.Trim(d.config.Everything.FindString(args), "(), ;}")
	}
	if m := fetched.FindStringSubmatch(args); m != nil && d.secretName(m[1]) {
		return "$" + m[1]
	}
	for _, name := range names.FindAllString(code.OutsideText(args), 64) {
		last := name[strings.LastIndexByte(name, '.')+1:]
		if (d.secretName(last) || held[name]) && !constant(last, name) {
			return name
		}
	}
	return ""
}

// constant reports whether a name is that of a text rather than a value: ERROR_PASSWORD,
// or t.password of a table of texts.
func constant(last, name string) bool {
	return strings.HasPrefix(name, "t.") || strings.HasPrefix(name, "i18n.") || strings.HasPrefix(name, "msg.") || strings.HasPrefix(last, "ERR")
}

// held returns the variables to which an edit's code assigns a credential from the
// environment: what "key" contains is visible where it is fetched.
func (d *instance) held(diff *sessionevents.Diff) map[string]bool {
	var held map[string]bool
	for _, h := range diff.Hunks {
		for _, l := range h.Lines {
			if l != "" && l[0] != '-' && len(l) < 1000 {
				held = d.heldIn(held, l[1:])
			}
		}
	}
	return held
}

func (d *instance) heldIn(held map[string]bool, text string) map[string]bool {
	for _, m := range assigned.FindAllStringSubmatch(text, 64) {
		if !d.secretName(m[2] + m[3]) {
			continue
		}
		if held == nil {
			held = map[string]bool{}
		}
		held[m[1]] = true
	}
	return held
}

// byName matches calls and tables by which code reads an environment variable.
const byName = `(?:getenv|environ(?:\.get)?|Getenv|LookupEnv|env::var|ENV(?:\.fetch)?|env\.get|_ENV)\s*[\[(]\s*["'](\w+)`

// fetched matches an environment variable that code reads by name; assigned matches one
// that is assigned to a variable of the code.
var (
	fetched  = pattern.Must(byName)
	assigned = pattern.Must(`([A-Za-z_$][\w$]*)(?:\s*,\s*\w+)?\s*(?::\s*[\w.<>]+\s*)?:?=\s*(?:await\s+)?(?:[\w.]*\.)?(?:` + byName + `|env(?:\.|\[\s*["'])(\w+))`)
)

var names = pattern.Must(`[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*`)

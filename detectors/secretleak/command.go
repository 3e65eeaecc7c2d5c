package secretleak

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// command returns the worst leak of a command line.
func (d *instance) command(s *sessionevents.Segment) (worst *leak) {
	if failed(s.Result) {
		return nil
	}
	steps := d.shell.Steps(s.Tool.Command)
	for i := range steps {
		l := d.step(&steps[i], s)
		if l != nil && (worst == nil || rank[l.way] > rank[worst.way]) {
			worst = l
		}
	}
	if worst == nil {
		worst = d.program(s)
	}
	return worst
}

// rank orders the ways by cost.
var rank = map[way]int{wayShown: 1, wayLogged: 2, wayEncoded: 3, wayCopied: 4, wayCommit: 5, waySent: 6}

// failed reports whether the command had no effect.
func failed(r *sessionevents.ResultDigest) bool {
	return r != nil && (r.IsError || r.ExitCode != nil && *r.ExitCode != 0)
}

// step returns the leak of one command.
func (d *instance) step(t *shell.Step, s *sessionevents.Segment) *leak {
	c := &d.config
	switch {
	case slices.Contains(c.Senders, t.Name):
		return d.request(t, s)
	case slices.Contains(c.Copiers, t.Name), slices.Contains(c.Publishers[t.Name], first(t.Args)):
		if file := d.firstFile(t.Args); file != "" && away(t.Args, file) {
			if t.Name == "gh" {
				return &leak{way: waySent, what: file}
			}
			return &leak{way: wayCopied, what: file}
		}
		return nil
	case t.Name == "git":
		return d.commit(t)
	}
	what, strict := d.source(t)
	if what == "" {
		return d.ran(t, s)
	}
	return d.flow(t, s, what, strict)
}

// ran returns the leak of a program that is run: through an argument, or in what it
// prints by itself.
func (d *instance) ran(t *shell.Step, s *sessionevents.Segment) *leak {
	if !slices.Contains(d.config.Interpreters, t.Name) && !slices.Contains(d.config.Shells, t.Name) &&
		!strings.Contains(t.Path, "/") || d.aside(t.Path) || slices.ContainsFunc(t.Args, d.aside) {
		return nil
	}
	if at := slices.IndexFunc(t.Args, d.literal); at >= 0 && !slices.Contains(t.Args, "-c") && !slices.Contains(t.Args, "-e") {
		return &leak{way: wayShown, what: "a literal secret among the arguments of " + t.Name}
	}
	if t.To == "" && len(t.After) == 0 && s.Result != nil && d.prints(s.Result) {
		return &leak{way: wayShown, what: "a credential that " + strings.TrimSpace(t.Name+" "+first(t.Args)) + " prints", seen: true}
	}
	return nil
}

// literal reports whether a word contains a credential itself.
func (c *credentials) literal(a string) bool {
	return strings.Contains(a, "‹secret:") || c.config.Value.MatchString(a) && !localURL(a)
}

// localURL reports whether a URL is of a database on this machine, whose password is
// useless elsewhere.
func localURL(a string) bool {
	return strings.Contains(a, "@localhost") || strings.Contains(a, "@127.0.0.1") || strings.Contains(a, "@db:") || strings.Contains(a, "@postgres:")
}

// away reports whether a copy of a file leaves the machine rather than arrives.
func away(args []string, file string) bool {
	return !strings.Contains(file, ":") && strings.Contains(args[len(args)-1], ":") || slices.Contains(args, "gist") || slices.Contains(args, "create")
}

func first(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// source returns the credential that a command writes to its output, "" for none; strict
// reports whether it is one whatever the output shows.
func (d *instance) source(t *shell.Step) (what string, strict bool) {
	c := &d.config
	line := strings.TrimSpace(t.Name + " " + strings.Join(t.Args, " "))
	switch {
	case slices.Contains(c.Readers, t.Name):
		if slices.ContainsFunc(t.Args, func(a string) bool { return slices.Contains(c.ListsOnly, a) || has(a, c.MaskCommands) }) || d.config.Masks.MatchString(line) {
			return "", false
		}
		if file := d.firstFile(t.Args); file != "" {
			return file, false
		}
		if searches(t.Name) {
			return d.searched(t), false
		}
	case slices.Contains(c.Printers, t.Name):
		return d.printed(t)
	case slices.Contains(c.Dumps, t.Name):
		what = d.dumped(t)
		return what, strings.HasPrefix(what, "$")
	case d.config.Reveals.MatchString(line):
		return line, d.config.Bare.MatchString(line)
	}
	return "", false
}

func has(text string, list []string) bool {
	return slices.ContainsFunc(list, func(m string) bool { return strings.Contains(text, m) })
}

func searches(name string) bool {
	return name == "grep" || name == "egrep" || name == "fgrep" || name == "rg" || name == "ag"
}

// searched returns the name of a credential that a search looks for.
func (d *instance) searched(t *shell.Step) string {
	for _, a := range t.Args {
		if strings.HasPrefix(a, "-") {
			continue
		}
		for _, word := range strings.FieldsFunc(a, func(c rune) bool {
			return c == '|' || c == '\\' || c == '=' || c == '(' || c == ')' || c == '"' || c == '['
		}) {
			if d.secretName(strings.Trim(word, "'^$. ")) {
				return word
			}
		}
		return "" // the pattern is the first operand
	}
	return ""
}

// variable matches what a word takes from the environment.
var variable = pattern.Must(`\$\{?([A-Za-z_]\w*)|\$\((?:printenv|cat|echo)\s+\$?([^)\s]+)\)`)

// printed returns the credential among the arguments of a command that prints them.
func (d *instance) printed(t *shell.Step) (string, bool) {
	for _, a := range t.Args {
		if d.literal(a) {
			return "a literal secret", true
		}
		if d.config.ShellMasked.MatchString(a) {
			continue
		}
		for _, m := range variable.FindAllStringSubmatch(a, 8) {
			if m[2] != "" && (d.secretFile(m[2]) || d.secretName(m[2])) {
				return m[2], true
			}
			if m[1] != "" && d.secretName(m[1]) {
				return "$" + m[1], true
			}
		}
	}
	return "", false
}

// dumped returns what a command prints of the environment.
func (d *instance) dumped(t *shell.Step) string {
	name := first(t.Args)
	switch {
	case t.Name == "printenv" && name != "" && d.secretName(name):
		return "$" + name
	case len(t.Args) == 0 && t.Name != "declare", name == "" && slices.ContainsFunc(t.Args, func(a string) bool { return slices.Contains(d.config.DumpFlags, a) }):
		return "the environment"
	}
	return ""
}

// flow follows a command's output: through a pipe, into a file, or to where the agent
// reads it.
func (d *instance) flow(t *shell.Step, s *sessionevents.Segment, what string, strict bool) *leak {
	encoded := slices.Contains(d.config.Encoders, t.Name) && t.Name != "tar"
	for i := range t.After {
		a := &t.After[i]
		line := strings.TrimSpace(a.Name + " " + strings.Join(a.Args, " "))
		switch {
		case slices.Contains(d.config.Senders, a.Name):
			if d.local(a.Args) {
				return nil
			}
			return &leak{way: waySent, what: what}
		case slices.Contains(d.config.Encoders, a.Name):
			encoded = true
		case d.config.Masks.MatchString(line), has(line, d.config.MaskCommands):
			return nil
		}
	}
	if t.To != "" && !strings.HasSuffix(t.To, ".log") || t.Name == "tar" || t.Name == "zip" {
		return nil // it stays on this machine
	}
	shown := d.shows(s.Result)
	switch {
	case encoded && t.Name != "openssl" && d.files.Is(what, files.Secret):
		return &leak{way: wayEncoded, what: what, seen: shown == yes}
	case shown == yes, strict && shown != empty && !strings.HasSuffix(t.To, ".log"):
		return &leak{way: wayShown, what: what, seen: shown == yes}
	case t.To != "" && strict:
		return &leak{way: wayLogged, what: what}
	}
	return nil
}

// local reports whether a request stays on this machine.
func (d *instance) local(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return d.config.LocalHost.MatchString(strings.Trim(a, `"'`)) })
}

// request returns the leak of a request: a file as its body, or a header that the tool
// prints. Sending a header alone is how services expect it.
func (d *instance) request(t *shell.Step, s *sessionevents.Segment) *leak {
	if d.local(t.Args) {
		return nil
	}
	for i, a := range t.Args {
		name, value, joined := strings.Cut(a, "=")
		if !slices.Contains(d.config.BodyFlags, name) {
			continue
		}
		if !joined && i+1 < len(t.Args) {
			value = t.Args[i+1]
		}
		if file := d.firstFile([]string{value}); file != "" {
			return &leak{way: waySent, what: file}
		}
	}
	verbose := slices.ContainsFunc(t.Args, func(a string) bool { return slices.Contains(d.config.Verbose, a) })
	header := slices.IndexFunc(t.Args, func(a string) bool { return d.config.AuthHeader.MatchString(a) })
	if t.Name == "curl" && verbose && header >= 0 && t.To == "" && len(t.After) == 0 && s.Result != nil && d.config.ShownHeader.MatchString(s.Result.Head+"\n"+s.Result.Tail) {
		return &leak{way: wayShown, what: "the Authorization header", seen: true}
	}
	return nil
}

// commit returns the leak of adding a file of credentials to git.
func (d *instance) commit(t *shell.Step) *leak {
	verb := first(t.Args)
	if verb != "add" && verb != "commit" && verb != "stage" || slices.Contains(t.Args, "-n") || slices.Contains(t.Args, "--dry-run") {
		return nil
	}
	at := slices.Index(t.Args, verb)
	for i := at + 1; i < len(t.Args); i++ {
		if a := t.Args[i]; a == "-m" || a == "--message" || a == "-am" || a == "-F" {
			i++
		} else if !strings.HasPrefix(a, "-") && d.secretFile(a) {
			return &leak{way: wayCommit, what: a}
		}
	}
	return nil
}

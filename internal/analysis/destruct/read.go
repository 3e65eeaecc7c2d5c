package destruct

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// line is a command line being read.
type line struct {
	*Reader
	all    []shell.Invocation
	out    Reading
	copied []string // files that were copied or moved away before
	moved  moves
	stash  bool // uncommitted changes were stashed before
	pushed int  // stashes that the line created and has not restored
	// placed is set if facts show what may be missed, so that names do not excuse an act.
	placed    bool
	facts     Facts
	directory string // in which the line starts
	// scripts holds the texts of files that the line writes.
	scripts map[string]string
	depth   int // nesting of scripts in programs
}

// Read analyzes a command line. Nothing in it is run.
func (r *Reader) Read(text string) Reading { return r.read(text, &line{}).out }

func (r *Reader) read(text string, l *line) *line {
	text = r.back.ReplaceAllStringFunc(text, func(command string) string { return strings.ReplaceAll(command, `\`, "/") })
	l.Reader = r
	l.each(r.shell.Invocations(text))
	if l.placed {
		l.hijacked(text)
	}
	return l
}

// each handles commands in order.
func (l *line) each(all []shell.Invocation) {
	l.all = all
	for i := range all {
		invocation := all[i]
		if invocation.Name != "" {
			l.out.Programs = append(l.out.Programs, invocation.Name)
		}
		invocation.Name = strings.TrimSuffix(invocation.Name, ".exe")
		if invocation.Name == "git" {
			if text := l.unalias(&invocation); text != "" {
				l.nested(&invocation, text)
				continue
			}
		}
		l.command(&invocation)
		l.program(&invocation)
		edited(l, &invocation)
		l.patched(&invocation)
		l.redirected(&invocation)
		l.writes(&invocation)
		l.script(i)
		l.aside(&invocation)
	}
}

// nested handles a command line that a program runs.
func (l *line) nested(at *shell.Invocation, text string) {
	if l.depth >= maxNested {
		return
	}
	text = strings.TrimSpace(text)
	inner := l.shell.Invocations(text)
	for k := range inner {
		inner[k].Directory = under(at.Directory, inner[k].Directory)
		inner[k].Lost = inner[k].Lost || at.Lost
	}
	l.inner(text, inner)
}

// maxNested bounds the nesting of programs that run command lines with programs.
const maxNested = 3

// unalias replaces an abbreviated git command, including one that the same line defines
// with -c, and follows -C to where it runs. It returns the command line of an alias for the shell (!rm -rf x).
func (r *Reader) unalias(i *shell.Invocation) string {
	globals, own := r.config.Globals["git"], map[string]string{}
	for k := 0; k < len(i.Args); k++ {
		word := clean(i.Args[k])
		switch {
		case (word == "-C" || word == "--work-tree") && k+1 < len(i.Args):
			i.Directory = under(i.Directory, clean(i.Args[k+1]))
			k++
		case strings.HasPrefix(word, "-C") && len(word) > 2:
			i.Directory = under(i.Directory, word[2:])
		case strings.HasPrefix(word, "--work-tree="):
			i.Directory = under(i.Directory, strings.TrimPrefix(word, "--work-tree="))
		case strings.HasPrefix(word, "--git-dir=") && !strings.Contains(strings.Join(i.Args, " "), "--work-tree"):
			i.Directory = under(i.Directory, path.Dir(strings.TrimPrefix(word, "--git-dir=")))
		case strings.HasPrefix(word, "-calias."):
			if name, full, is := strings.Cut(word, "="); is {
				own[strings.TrimPrefix(name, "-calias.")] = full
			}
		case slices.Contains(globals, word):
			if k++; k < len(i.Args) {
				if name, full, is := strings.Cut(clean(i.Args[k]), "="); is && strings.HasPrefix(name, "alias.") {
					own[strings.TrimPrefix(name, "alias.")] = full
				}
			}
		case !isFlag(word):
			full, is := own[word]
			if !is {
				full, is = r.config.GitAliases[word]
			}
			if text, shell := strings.CutPrefix(full, "!"); is && shell {
				return strings.Join(append([]string{text}, i.Args[k+1:]...), " ")
			}
			if is {
				i.Args = slices.Concat(i.Args[:k:k], strings.Fields(full), i.Args[k+1:])
			}
			return ""
		}
	}
	return ""
}

// command records what one command destroys and creates.
func (l *line) command(i *shell.Invocation) {
	for _, rule := range l.named(l.rules, i.Name) {
		c := l.split(l, i, rule)
		if !c.is(rule) {
			continue
		}
		act := Act{
			Rule: rule.ID, Kind: rule.Kind, Weight: rule.Weight, Command: c.short(), Directory: i.Directory, Lost: i.Lost,
			Elsewhere: i.Elsewhere, Loses: rule.Loses, Back: rule.Back, Line: strings.Join(i.Assigned, " ") + " " + i.Name + " " + c.text(), Live: rule.Live,
		}
		if slices.ContainsFunc(rule.Spares, func(p *pattern.Regexp) bool { return p.MatchString(act.Line) }) {
			continue
		}
		read := forms[rule.Form]
		if read == nil {
			read = plain
		}
		if read(c, rule, &act) {
			l.add(act)
			break
		}
	}
	for _, rule := range l.named(l.writers, i.Name) {
		c := l.split(l, i, rule)
		if !c.is(rule) {
			continue
		}
		act := Act{Rule: rule.ID, Kind: Files, Command: c.short(), Directory: i.Directory, Lost: i.Lost, Elsewhere: i.Elsewhere, Loses: "the former content"}
		read := forms[rule.Form]
		if read == nil {
			read = writing
		}
		if read(c, rule, &act) {
			l.add(act)
		}
	}
	for _, rule := range l.named(l.makers, i.Name) {
		c := l.split(l, i, rule)
		if c.is(rule) {
			l.makes(c, rule)
		}
	}
}

// named returns the rules for a command; Windows commands are matched in any case.
func (l *line) named(rules map[string][]*Rule, name string) []*Rule {
	if list := rules[name]; list != nil {
		return list
	}
	return rules[strings.TrimSuffix(name, ".exe")]
}

// makes records what a command creates. A precious file that is overwritten is assumed to
// have existed.
func (l *line) makes(c *command, rule *Rule) {
	targets := c.targets(rule)
	if rule.Targets == "none" || len(targets) == 0 && rule.Kind == Infrastructure {
		l.out.Makes = append(l.out.Makes, Thing{Kind: rule.Kind})
	}
	for _, target := range targets {
		if rule.Kind == Linked {
			if l.scratch(c.Directory) {
				continue
			}
			target = under(c.Directory, target)
		}
		if rule.Kind == Files {
			target = under(c.Directory, target)
			if c.Name == "git" && len(c.operands) == 1 && strings.Contains(target, ":") {
				target = strings.TrimSuffix(target[strings.LastIndexByte(target, '/')+1:], ".git")
			}
			if l.Precious(target) {
				continue
			}
		}
		l.out.Makes = append(l.out.Makes, Thing{rule.Kind, target})
	}
}

// add stores an act, unless it destroys nothing that would be missed.
func (l *line) add(a Act) {
	var moved []string
	if l.placed && a.Kind == Files && (!a.Overwrites || a.Empties) {
		for _, t := range a.Targets {
			moved = append(moved, l.moved.to(t)...)
		}
	}
	if harmless := l.harmless(&a); len(l.out.Acts) >= l.config.MaxActs || harmless && len(moved) == 0 {
		return
	}
	a.Targets = append(a.Targets, moved...)
	if l.placed {
		slices.Sort(a.Targets)
		a.Targets = slices.Compact(a.Targets)
		a.Open = a.Open || len(a.Targets) > maxPlaces
		a.Targets = a.Targets[:min(len(a.Targets), maxPlaces)]
	} else {
		a.Targets = a.Targets[:min(len(a.Targets), l.config.MaxTargets)]
	}
	if a.Quiet || a.Roots || a.Live {
		if len(l.out.Writes) < l.config.MaxActs {
			l.out.Writes = append(l.out.Writes, a)
		}
		return
	}
	l.out.Acts = append(l.out.Acts, a)
}

// moving is a file or folder that the line moves.
type moving struct{ from, to string }

// moves is what the line moved before.
type moves []moving

// to returns what was moved to a place, or into it: who deletes the place deletes that.
func (all moves) to(place string) (from []string) {
	for _, m := range all {
		inside := path.Join(m.to, path.Base(m.from))
		if place = path.Clean(place); place == path.Clean(m.to) || place == inside || strings.HasPrefix(inside, place+"/") {
			from = append(from, m.from)
		}
	}
	return from
}

// maxPlaces bounds the targets of one act that are examined.
const maxPlaces = 256

// harmless reports whether an act only affects what would not be missed; it removes such
// targets.
func (l *line) harmless(a *Act) bool {
	if a.Quiet && l.placed && !a.Recursive && len(a.Targets) > 0 {
		a.Targets = slices.DeleteFunc(a.Targets, func(t string) bool { return slices.Contains(l.copied, t) })
		return len(a.Targets) == 0 && !a.Open
	}
	if a.Quiet || a.Roots || a.Live {
		return false
	}
	if a.Kind == Data && l.onTests(a.Line) {
		return true
	}
	if !l.placed && (a.Kind == Worktree || a.Kind == Branches || a.Kind == History) {
		if l.scratch(a.Directory) {
			return true
		}
	}
	named := len(a.Targets) > 0
	a.Targets = slices.DeleteFunc(a.Targets, func(t string) bool {
		if l.placed && (a.Kind == Files || a.Kind == Worktree) {
			return slices.Contains(l.copied, t) && !a.Recursive
		}
		if l.madeBefore(Thing{a.Kind, t}) {
			return true
		}
		pathLike := a.Kind == Files || a.Kind == Worktree
		return pathLike && (l.Temporary(t) || slices.Contains(l.copied, t) && !a.Recursive || a.Kind == Files && l.Rebuilt(t)) ||
			a.Kind == Data && l.testData(t)
	})
	return named && len(a.Targets) == 0 && !a.Open
}

// scratch reports whether a folder is temporary, or created by the line.
func (l *line) scratch(directory string) bool {
	return l.temporary(directory) || directory != "" && l.madeBefore(Thing{Files, directory})
}

// madeBefore reports whether the line created a thing, or the folder that contains it.
func (l *line) madeBefore(t Thing) bool {
	return slices.ContainsFunc(l.out.Makes, func(m Thing) bool { return m.Holds(t) })
}

// Holds reports whether a thing is another one, or a folder above it.
func (t Thing) Holds(other Thing) bool {
	if t.Kind != other.Kind {
		return false
	}
	return t.Name == other.Name || t.Kind == Files && t.Name != "" && strings.HasPrefix(other.Name, t.Name+"/")
}

// aside records what makes later or earlier acts harmless.
func (l *line) aside(i *shell.Invocation) {
	words := slices.DeleteFunc(cleaned(i.Args), isFlag)
	switch {
	case (i.Name == "cp" || i.Name == "mv") && len(words) > 1:
		for _, from := range words[:len(words)-1] {
			l.copied = append(l.copied, under(i.Directory, from))
			if to := words[len(words)-1]; i.Name == "mv" && len(l.moved) < maxPlaces {
				l.moved = append(l.moved, moving{under(i.Directory, from), under(i.Directory, to)})
			}
		}
	case i.Name == "git" && len(words) > 0 && words[0] == "commit":
		l.out.Commits = l.out.Commits || slices.ContainsFunc(i.Args, func(a string) bool { return a == "-a" || a == "-am" || a == "--all" }) || l.addsAll()
	case i.Name == "git" && len(words) > 0 && words[0] == "stash":
		l.stashed(words, i.Otherwise)
	}
}

// addsAll reports whether the line adds all files to the index.
func (l *line) addsAll() bool {
	return slices.ContainsFunc(l.all, func(i shell.Invocation) bool {
		return i.Name == "git" && slices.Contains(i.Args, "add") &&
			slices.ContainsFunc(i.Args, func(a string) bool { return a == "-A" || a == "--all" || a == "." || a == "-u" })
	})
}

// stashed handles stashes: what is stashed and restored on the same line is not lost, and
// neither is a stash that is applied before it is dropped.
func (l *line) stashed(words []string, otherwise bool) {
	what := "push"
	if len(words) > 1 {
		what = words[1]
	}
	switch what {
	case "pop", "apply":
		l.out.Acts = slices.DeleteFunc(l.out.Acts, func(a Act) bool { return a.Rule == "git-stash" })
		if last := len(l.out.Writes) - 1; what == "pop" && l.pushed > 0 && last >= 0 && l.out.Writes[last].Rule == "git-stash-pop" {
			l.pushed, l.out.Writes = l.pushed-1, l.out.Writes[:last] // what the line itself stashed
		}
	case "drop":
		if len(words) == 2 && l.applied() {
			l.out.Acts = slices.DeleteFunc(l.out.Acts, func(a Act) bool { return a.Rule == "git-stash-drop" })
		}
	case "push", "save":
		l.stash = !otherwise
		l.pushed++
	}
}

func (l *line) applied() bool {
	return slices.ContainsFunc(l.all, func(i shell.Invocation) bool {
		return i.Name == "git" && len(i.Args) > 1 && i.Args[0] == "stash" && i.Args[1] == "apply"
	})
}

// executes is the command e of GNU sed, which runs a command line, after an address.
var executes = pattern.Must(`(?:^|[;\n{}])\s*(?:(?:\d+|\$|/[^/]*/)(?:,(?:\d+|\$|/[^/]*/))?)?\s*e\s+([^\n}]+)`)

// edited handles command lines that a script of sed runs.
func edited(l *line, i *shell.Invocation) {
	if i.Name != "sed" && i.Name != "gsed" || i.Elsewhere {
		return
	}
	for _, arg := range i.Args {
		for _, m := range executes.FindAllStringSubmatch(arg, 4) {
			l.nested(i, m[1])
		}
	}
}

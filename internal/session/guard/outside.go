package guard

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

// place is a target outside the workspace.
type place struct {
	trial
	p *destruct.Place
}

// outside judges a target outside the workspace, however it is spelled (GD-2).
func (t place) outside() *Finding {
	p, e, facts := t.p, t.e, t.facts
	says := " destroys " + shown(t.trial, p.Path) + ", which is not in this workspace"
	leave := "Leave it, or ask the person."
	switch {
	case strings.HasPrefix(p.Path, "/dev/") && !strings.HasPrefix(p.Path, "/dev/shm/"):
		return device(p, says)
	case e.Search == nil && (p.Text == "$TMPDIR" || p.Text == "${TMPDIR}"):
		return nil
	case t.tree() || strings.HasPrefix(p.Text, "~") && !strings.Contains(p.Text, "/"):
		if e.Overwrites && !e.Recursive {
			return nil
		}
		if !e.Recursive && !p.Pattern && e.Search == nil {
			return nil // a folder, which the command refuses
		}
		return &Finding{Decision: Deny, Says: says + t.holding(), Instead: leave}
	case e.Roots && !(e.Rule == "move-away" &&
		(worktree(facts, p.Path) != "" || facts.Home() == path.Dir(p.Path) && p.Entry.Folder)):
		return nil
	case e.Rule == "git-worktree-remove":
		return t.removed()
	case e.Search != nil && e.Search.Named() && t.reader.TemporaryPlace(path.Join(p.Path, "x"), facts):
		return nil
	case t.reader.TemporaryPlace(p.Path, facts) && worktree(facts, p.Path) == "":
		return nil
	case e.Overwrites && !(e.Recursive && e.Rule == "sync-delete"):
		return t.replaced()
	case p.Entry.Known && !p.Entry.Exists && !p.Pattern && !(e.Recursive && e.Force), p.Entry.Folder && !e.Recursive:
		return nil // nothing is there, or it is a folder, which the command refuses
	case e.Weight == destruct.Less, e.Rule == "remove" && !e.Recursive && !p.Entry.File && t.reader.Link(p.Path):
		return nil
	}
	if w := worktree(facts, p.Path); w != "" {
		says = " destroys " + shown(t.trial, p.Path) + " in " + shown(t.trial, w) +
			", another worktree of this repository"
	}
	return &Finding{Decision: Deny, Says: says, Instead: leave}
}

// removed judges the forced removal of a worktree: even one in a temporary folder may
// contain work.
func (t place) removed() *Finding {
	p, facts := t.p, t.facts
	w := worktree(facts, p.Path)
	work := facts.Work(w)
	scratch := t.reader.TemporaryPlace(p.Path, facts)
	switch {
	case scratch && work.Unknown != "":
		return nil
	case w == "" || work.Unknown != "":
		return &Finding{
			Decision: Warn, Says: " removes a worktree by force, and nobody knows what it holds",
			Instead: "Use git worktree remove without --force, which looks.",
		}
	}
	gone := slices.DeleteFunc(slices.Clone(work.Files), func(f WorkFile) bool {
		return f.Own || scratch && f.Session == ""
	})
	if len(gone) == 0 {
		return nil
	}
	return &Finding{
		Decision: Deny, Lost: gone,
		Says: " destroys work in " + shown(t.trial, w) + ", another worktree of this repository: " +
			listing(t.trial, gone),
		Instead: "Leave it, or ask the person.",
	}
}

// holding describes the people's data that a tree contains.
func (t place) holding() string {
	p, facts := t.p, t.facts
	for _, r := range facts.Roots() {
		if within(r, strings.TrimSuffix(p.Path, "/*")) {
			return " and holds it"
		}
	}
	return ""
}

// tree reports whether a place is an entire system folder, home, or parent of the
// workspace.
func (t place) tree() bool {
	p, facts := t.p, t.facts
	folder := p.Path
	if p.Pattern {
		folder = path.Dir(p.Path)
		if matchesTree(p.Path, t.config.SystemTrees) {
			return true
		}
		return folder == "/" || slices.Contains(t.config.SystemTrees, folder) || folder == facts.Home() ||
			slices.ContainsFunc(facts.Roots(), func(r string) bool {
				return r != folder && within(r, folder) && matched(p.Path, r)
			})
	}
	if folder == "/" || folder == facts.Home() || slices.Contains(t.config.SystemTrees, folder) {
		return true
	}
	return slices.ContainsFunc(facts.Roots(), func(r string) bool { return r != folder && within(r, folder) })
}

// matched reports whether a pattern matches a folder or one above it.
func matched(pattern, name string) bool {
	for ; len(name) > 1; name = path.Dir(name) {
		if destruct.Matches(pattern, name) {
			return true
		}
	}
	return false
}

func matchesTree(pattern string, trees []string) bool {
	return slices.ContainsFunc(trees, func(t string) bool { return destruct.Matches(pattern, t) })
}

// harmlessDevices are devices that can be written to without harm.
var harmlessDevices = []string{
	"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/fd",
	"/dev/random", "/dev/urandom", "/dev/full",
}

// device judges writing to a device.
func device(p *destruct.Place, says string) *Finding {
	if slices.ContainsFunc(harmlessDevices, func(d string) bool { return within(p.Path, d) }) ||
		strings.HasPrefix(p.Path, "/dev/tcp/") || strings.HasPrefix(p.Path, "/dev/udp/") {
		return nil
	}
	return &Finding{Decision: Deny, Says: says, Instead: "Ask the person."}
}

// replaced judges overwriting a file outside the workspace.
func (t place) replaced() *Finding {
	p, e, facts := t.p, t.e, t.facts
	system := slices.ContainsFunc(t.config.SystemTrees, func(t string) bool {
		return t != "/" && within(p.Path, t) && !within(p.Path, "/home") && !within(p.Path, "/Users")
	})
	if w := worktree(facts, p.Path); w != "" {
		return t.intruded(w)
	}
	byTool := e.Rule == destruct.WriteRule || e.Rule == destruct.EditRule
	// An editing tool works there, wherever that is.
	if within(p.Path, facts.Home()) || byTool && len(facts.Roots()) == 0 {
		system = false
	}
	switch {
	case system && byTool && !e.Empties && !within(p.Path, "/proc") && !within(p.Path, "/sys"):
		return t.machines()
	case system && (!p.Entry.Known || p.Entry.Exists), within(p.Path, "/proc"), within(p.Path, "/sys"):
		return &Finding{
			Decision: Deny, Says: " replaces " + shown(t.trial, p.Path) + ", which belongs to the machine",
			Instead: "Ask the person.",
		}
	case !p.Entry.Known || !p.Entry.Exists || p.Entry.Folder:
		return nil
	case e.Rule == destruct.EditRule, t.notes():
		return nil // the tool shows what it changes; an agent's own notes belong to it
	case e.Empties:
		return &Finding{
			Decision: Deny, Says: " empties " + shown(t.trial, p.Path) + ", which is not in this workspace",
			Instead: "Leave it, or ask the person.",
		}
	}
	return &Finding{
		Decision: Warn, Says: " replaces " + shown(t.trial, p.Path) + ", which is not in this workspace",
		Instead: "Copy it first.",
	}
}

// machines judges editing a system file with a tool, which shows what it changes.
func (t place) machines() *Finding {
	p := t.p
	if !p.Entry.Known || !p.Entry.Exists || p.Entry.Folder {
		return nil
	}
	return &Finding{
		Decision: Warn, Says: " replaces " + shown(t.trial, p.Path) + ", which belongs to the machine",
		Instead: "Copy it first.",
	}
}

// notes reports whether a file is one in which an agent keeps its own plans.
func (t place) notes() bool {
	p, facts := t.p, t.facts
	home := facts.Home()
	return home != "" && slices.ContainsFunc(t.config.Notes, func(f string) bool {
		return within(p.Path, path.Join(home, f))
	})
}

// intruded judges overwriting a file in another worktree of the repository (GD-8).
func (t place) intruded(w string) *Finding {
	p, facts := t.p, t.facts
	work := facts.Work(w)
	for i := range work.Files {
		if f := &work.Files[i]; f.Path == p.Path && !f.Own {
			return &Finding{
				Decision: Deny,
				Says:     " writes over work in " + shown(t.trial, w) + ", another worktree of this repository",
				Instead:  "Work in your own worktree.",
			}
		}
	}
	return &Finding{
		Decision: intrusion(facts),
		Says:     " changes " + shown(t.trial, p.Path) + " in another worktree of this repository",
		Instead:  "Work in your own worktree.",
	}
}

// intrusion returns the decision about a change in another worktree: in a wave each agent
// has its own (WP-4).
func intrusion(facts Facts) Decision {
	if facts.Wave() {
		return Deny
	}
	return Warn
}

// elsewhere judges a command that stages, commits or changes branches in another worktree
// of the repository.
func (t trial) elsewhere() *Finding {
	e, facts := t.e, t.facts
	if e.At == "" || root(facts, e.At) != "" {
		return nil
	}
	w := worktree(facts, e.At)
	if w == "" {
		return nil
	}
	return &Finding{
		Decision: intrusion(facts), Place: w,
		Says:    " works in " + shown(t, w) + ", another worktree of this repository",
		Instead: "Work in your own worktree.",
	}
}

// shown returns a path as a person reads it: relative to the workspace, or from their home; of two things of one
// name it must be clear which is meant.
func shown(t trial, name string) string {
	workspace := root(t.facts, cmp.Or(t.e.At, name))
	for _, from := range []struct{ folder, written string }{{workspace, ""}, {t.facts.Home(), "~/"}} {
		if below, is := strings.CutPrefix(name, from.folder+"/"); is && from.folder != "" {
			return quote.Path(from.written + below)
		}
	}
	return quote.Path(name)
}

// listing lists some files and their owners.
func listing(t trial, files []WorkFile) string {
	var out []string
	for _, f := range files[:min(len(files), t.config.Named)] {
		whose := ""
		switch {
		case f.Own:
		case f.Session != "":
			whose = " of session " + quote.Words(f.Session, 1)
		case f.Before:
			whose = " of the person"
		default:
			whose = " of an unknown author"
		}
		out = append(out, shown(t, f.Path)+whose)
	}
	if more := len(files) - len(out); more > 0 {
		out = append(out, strconv.Itoa(more)+" more")
	}
	return strings.Join(out, ", ")
}

// Effect is the effect of a command.
type Effect = destruct.Effect

// Decision is the decision about a command. Keep lets it run after a snapshot, which is
// reported.
type Decision string

// Decisions, mildest first.
const (
	Allow Decision = "allow"
	Keep  Decision = "keep"
	Warn  Decision = "warn"
	Deny  Decision = "deny"
)

var strictness = map[Decision]int{Allow: 0, Keep: 1, Warn: 2, Deny: 3}

// Stricter reports whether a decision is stricter than another one.
func (d Decision) Stricter(than Decision) bool { return strictness[d] > strictness[than] }

// Finding is the decision about one effect.
type Finding struct {
	Effect   *destruct.Effect
	Decision Decision
	// Says continues a sentence that begins with the command: " would destroy work that
	// this session did not do: …"; Instead is the alternative.
	Says, Instead string
	// Lost are the files that could not be recovered, Place the target that decided.
	Lost  []WorkFile
	Place string
	// Snapshot is the worktree whose uncommitted work must be saved first, "" for none.
	Snapshot string
	// Asked reports whether the person asked for this very act; Before is then the
	// original decision.
	Asked  bool
	Before Decision
	// Observed reports whether the pack only observes.
	Observed bool
}

// Verdict is the judgement of a command line.
type Verdict struct {
	Decision Decision
	// Findings are the findings about all relevant effects, in the order of the line.
	Findings []Finding
}

// Worst returns the first of the strictest findings; nil if there are none.
func (v *Verdict) Worst() *Finding {
	var worst *Finding
	for i := range v.Findings {
		if f := &v.Findings[i]; worst == nil || f.Decision.Stricter(worst.Decision) {
			worst = f
		}
	}
	return worst
}

// Snapshots returns the worktrees to save before the command runs.
func (v *Verdict) Snapshots() (folders []string) {
	seen := map[string]bool{}
	for i := range v.Findings {
		if s := v.Findings[i].Snapshot; s != "" && !seen[s] && v.Decision != Deny {
			seen[s] = true
			folders = append(folders, s)
		}
	}
	return folders
}

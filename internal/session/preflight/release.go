package preflight

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RuleSelfRelease is the code of a call by which an agent would release itself, or end
// the watch over it (RW-34).
const RuleSelfRelease = "SELF-RELEASE"

// Watch describes the running system as far as the caller knows it.
type Watch struct {
	Process int      // of the system; 0 if unknown
	Ports   []string // on which it listens
	Folder  string   // of its program, beside which hooks find theirs; "" if unknown
}

// is reports whether a word is the process id of the system.
func (w Watch) is(word string) bool { return w.Process > 0 && word == strconv.Itoa(w.Process) }

// release answers for calls reserved to a person: an operator's command, access to the
// operator's key, ending the system. With one user on one machine this is only a fence:
// what a script does is not visible (RW-34).
func (c *Checker) release(call *Call) (answer Answer) {
	mode := c.config.Classes.SelfRelease
	if mode == ModeOff || len(call.Input) > c.config.MaxBytes {
		return allowed("")
	}
	defer func() {
		if recover() != nil { // hostile input that makes a library panic
			answer = allowed("")
		}
	}()
	what := c.released(call)
	if what == "" {
		return allowed("")
	}
	return c.selfRelease(what)
}

// selfRelease returns the answer to a call reserved to a person.
func (c *Checker) selfRelease(what string) Answer {
	mode := c.config.Classes.SelfRelease
	if mode == ModeOff {
		return allowed("")
	}
	return Answer{
		Decision: mode.decision(), Class: ClassSelfRelease, Rule: RuleSelfRelease,
		Text:   c.worded("Only a person may do this: " + what + ". Do not look for another way: say what you need from the person, and end your turn."),
		Reason: what,
	}
}

// released describes what the call does that is reserved to a person, "" for nothing
// (RW-34).
func (c *Checker) released(call *Call) string {
	r, block := &c.config.Release, call.Block()
	command, _, isShell := c.segmenter.Shell(&block)
	what := ""
	if isShell {
		what = r.releasedBy(call, c.segmenter.Invocations(command), command)
	} else {
		what = r.releasedWith(call, c, &block)
	}
	if what != "" {
		return what
	}
	facts := call.Facts
	if facts == nil || call.Elsewhere { // nobody here sees the places
		facts = guard.Blind{Workspace: call.Workspace}
	}
	effects, _ := c.effects(call, facts)
	return r.loses(call, facts, effects, command)
}

// releasedWith describes what a tool that runs no command would do.
func (r *Release) releasedWith(call *Call, c *Checker, block *sessionevents.Block) string {
	if slices.ContainsFunc(paths(call.Input), r.key) || r.readsByTool(call) {
		return readsKey
	}
	if patches, whole := c.segmenter.Edited(block); r.unhooks(patches, whole) {
		return blindsIt
	}
	return ""
}

// releasedBy describes what the commands of a line would do.
func (r *Release) releasedBy(call *Call, list []shell.Invocation, line string) string {
	handsOn := handing.MatchString(line)
	listed := slices.ContainsFunc(list, func(i shell.Invocation) bool { return r.lists(&i, call.Directory) })
	looked := slices.ContainsFunc(list, func(i shell.Invocation) bool { return r.looksUp(&i, call.Watch) })
	for k := range list {
		i := &list[k]
		if what := r.judge(i, call.Watch, looked); what != "" {
			return what
		}
		if what := r.locks(i, call); what != "" {
			return what
		}
		if r.blinds(i, line) {
			return blindsIt
		}
		if r.guarded(i, call.Directory, handsOn, listed) {
			return readsKey
		}
	}
	return ""
}

// What an agent must not do, worded for the agent and the person.
const (
	readsKey = "use of the operator's key"
	endsIt   = "stopping scaffoldwatch"
)

// handing matches commands that pass the names listed by one command to another as
// arguments.
var handing = pattern.Must(`\b(?:xargs|parallel)\b`)

// Release configures what an agent must not do.
type Release struct {
	Process  `yaml:",inline"`
	Keys     `yaml:",inline"`
	Commands []string            `yaml:"commands"`
	Harmless []string            `yaml:"harmless"`
	Carriers []string            `yaml:"carriers"`
	Blinds   map[string][]string `yaml:"blinds"`
	Settings []string            `yaml:"settings"`
	// Installed are folders in which agents find our programs; "~" is a home.
	Installed []string          `yaml:"installed"`
	Disables  []string          `yaml:"disables"`
	Unhooks   map[string]string `yaml:"unhooks"`
	// Uninstalls are package managers, and agents with plugins, with the verbs that
	// remove something.
	Uninstalls map[string][]string `yaml:"uninstalls"`
}

// Process configures what stops the system.
type Process struct {
	Program  string              `yaml:"program"`
	Kills    []string            `yaml:"kills"`
	Lookups  []string            `yaml:"lookups"`
	Managers map[string][]string `yaml:"managers"`
	Units    []string            `yaml:"units"`
	Ports    []string            `yaml:"ports"`
	// Firewalls are programs that can cut a port off with a word of Blocks.
	Firewalls []string `yaml:"firewalls"`
	Blocks    []string `yaml:"blocks"`
}

// judge describes what one command does that is reserved to a person. Looked is set if
// another command of the line looks up the process of the system.
func (r *Release) judge(i *shell.Invocation, watch Watch, looked bool) string {
	switch {
	case r.isProgram(i.Name):
		if verb := r.act(i.Args); verb != "" {
			return r.Program + " " + verb
		}
	case r.ends(i, watch, looked), r.cutsOff(i, watch):
		return endsIt
	case r.uninstalls(i):
		return removesIt
	}
	if slices.ContainsFunc(append(slices.Clone(i.Args), i.Files...), r.key) {
		return readsKey
	}
	if slices.Contains(r.Carriers, i.Name) {
		text := strings.Join(i.Args, "\n") + "\n" + i.Input
		switch {
		case r.programText(text):
			return readsKey
		case r.killsBy(text, watch):
			return endsIt
		case r.locksBy(text):
			return removesIt
		}
		return r.carried(text)
	}
	return ""
}

func (p *Process) isProgram(name string) bool { return strings.TrimSuffix(name, ".exe") == p.Program }

// act returns the operator's command that a call runs, "" for any other command and for
// help.
func (r *Release) act(args []string) string {
	if slices.ContainsFunc(args, func(a string) bool { return slices.Contains(r.Harmless, a) }) {
		return ""
	}
	var words []string
	for k, a := range args {
		if !strings.HasPrefix(a, "-") && (k == 0 || args[k-1] != "--config") {
			words = append(words, a)
		}
	}
	for _, command := range r.Commands {
		parts := strings.Fields(command)
		if len(words) >= len(parts) && slices.Equal(words[:len(parts)], parts) {
			return command
		}
	}
	return ""
}

// carried reads program text and keys sent to a terminal, which are not shell script.
func (r *Release) carried(text string) string {
	words := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\n'\"`,;()[]{}", c) })
	for k, w := range words {
		if r.key(w) {
			return readsKey
		}
		if r.isProgram(path.Base(w)) {
			if verb := r.act(words[k+1:]); verb != "" {
				return r.Program + " " + verb
			}
		}
	}
	return ""
}

// everyProcess is the process id that makes kill address all processes of the user.
const everyProcess = "-1"

// killsPorts is the program whose bare numbers are ports.
const killsPorts = "kill-port"

// cutsOff reports whether a command of a firewall blocks a port on which the system
// listens.
func (p *Process) cutsOff(i *shell.Invocation, watch Watch) bool {
	words := strings.FieldsFunc(strings.Join(i.Args, " "), between)
	return slices.Contains(p.Firewalls, i.Name) &&
		slices.ContainsFunc(words, func(w string) bool { return slices.Contains(p.Blocks, strings.ToLower(w)) }) &&
		slices.ContainsFunc(words, func(w string) bool { return p.port(":"+strings.TrimSuffix(w, "/tcp"), watch) })
}

// ends reports whether a command stops the system.
func (p *Process) ends(i *shell.Invocation, watch Watch, looked bool) bool {
	if verbs, is := p.Managers[i.Name]; is {
		return slices.ContainsFunc(i.Args, func(a string) bool { return slices.Contains(verbs, a) }) &&
			slices.ContainsFunc(i.Args, p.unit)
	}
	if !slices.Contains(p.Kills, i.Name) {
		return false
	}
	own := strconv.Itoa(watch.Process)
	if slices.ContainsFunc(strings.Fields(i.Input), watch.is) {
		return true
	}
	open := i.Fed
	for n, a := range i.Args {
		switch {
		case n > 0 && (a == everyProcess || watch.Process > 0 && a == "-"+own):
			return true
		case watch.Process > 0 && a == own, p.names(a), p.port(a, watch), i.Name == killsPorts && p.port(":"+a, watch):
			return !strings.EqualFold(i.Name, "fuser") || slices.ContainsFunc(i.Args, func(a string) bool { return strings.HasPrefix(a, "-k") || a == "--kill" })
		case strings.ContainsAny(a, "$`%{"):
			open = true
		}
	}
	return open && looked
}

var killCall = pattern.Must(`\b(?:kill|killpg|posix_kill|terminate|taskkill|pkill|killall)\b`)

// killsBy reports whether program text ends the system: it calls kill and names the
// system's process or program.
func (p *Process) killsBy(text string, watch Watch) bool {
	if !killCall.MatchString(text) {
		return false
	}
	words := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\n'\"`,;()[]{}|<>=:", c) })
	return slices.ContainsFunc(words, func(w string) bool { return w == p.Program || watch.is(w) })
}

// looksUp reports whether a command looks up the process of the system.
func (p *Process) looksUp(i *shell.Invocation, watch Watch) bool {
	if slices.ContainsFunc(append(slices.Clone(i.Args), i.Files...), p.isPidFile) {
		return true
	}
	return slices.Contains(p.Lookups, i.Name) &&
		slices.ContainsFunc(i.Args, func(a string) bool { return p.names(a) || p.port(a, watch) })
}

// isPidFile reports whether a file contains the process id of the system.
func (p *Process) isPidFile(name string) bool {
	return strings.HasSuffix(name, ".pid") && strings.Contains(name, p.Program)
}

// unit reports whether the name of a service unit is one of ours.
func (p *Process) unit(name string) bool {
	return slices.ContainsFunc(p.Units, func(u string) bool { return strings.HasPrefix(name, u) })
}

// names reports whether a process pattern names the program: alone, with its folder, or
// at the beginning of a command line.
func (p *Process) names(pattern string) bool {
	for _, word := range strings.Fields(pattern) {
		word = strings.Trim(path.Base(word), "^$[]*.'\"()\\|")
		word = strings.NewReplacer("[", "", "]", "", ".*", "", ".exe", "").Replace(word)
		if word == p.Program || len(word) >= 8 && strings.HasPrefix(p.Program, word) {
			return true
		}
	}
	return false
}

var portPattern = pattern.Must(`(?:^|[:=])(\d{2,5})(?:/tcp)?$`)

// port reports whether an argument is a port on which the system listens, in the form
// used by lsof, fuser and ss.
func (p *Process) port(argument string, watch Watch) bool {
	found := portPattern.FindStringSubmatch(argument)
	return found != nil && strings.ContainsAny(argument, ":/=") && (slices.Contains(watch.Ports, found[1]) || slices.Contains(p.Ports, found[1]))
}

// contents are the fields of a tool's input that contain text rather than a path.
var contents = []string{"content", "contents", "new_string", "old_string", "new_str", "old_str", "text", "file_text", "patch", "diff", "prompt", "description", "edits", "insert_text"}

// paths returns the short texts of a tool's input, at any depth.
func paths(input json.RawMessage) []string {
	var root any
	if json.Unmarshal(input, &root) != nil {
		return nil
	}
	var out []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for name, one := range v {
				if !slices.Contains(contents, name) {
					walk(one)
				}
			}
		}
	}
	walk(root)
	return out
}

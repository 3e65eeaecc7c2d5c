// Package try holds the command that explains how the guard judges a command line.
package try

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/alone"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/uncommitted"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
)

// Try judges a command line without running it. It needs no running system.
type Try struct {
	Command string   `arg:"" help:"Command line, as an agent would run it."`
	In      string   `help:"Folder in which it would run." type:"existingdir" default:"." placeholder:"FOLDER"`
	Said    []string `help:"What the person said before, for whether it permits the act." placeholder:"TEXT"`
	Rules   string   `help:"Rules file (YAML) with overrides." type:"path" placeholder:"FILE"`
	Output  string   `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
}

// Help gives examples.
func (Try) Help() string {
	return `Explains what the guard answers before an agent's command runs: how the command was read, how
it would affect what cannot be recovered, whose work that is, the verdict, and what would
permit it. Nothing is run, and no running system is needed. The session that is judged begins now: what
is uncommitted is the person's. Exits with code 0 where the command may run, 3 where it is denied
and 4 where the agent is warned or a snapshot is made first.

Examples:
  scaffoldwatch try "git reset --hard"
  scaffoldwatch try "rm -rf build" --in ~/src/shop
  scaffoldwatch try "git clean -fd" --said "Discard all untracked files" --output json`
}

// effect is the JSON form of one effect of a command.
type effect struct {
	Act      string   `json:"act"`
	Pack     string   `json:"pack,omitempty"`
	Rule     string   `json:"rule"`
	Command  string   `json:"command"`
	In       string   `json:"in,omitempty"`
	Targets  []string `json:"targets,omitempty"`
	Unknown  bool     `json:"unknown,omitempty"` // only the shell knows all targets
	Decision string   `json:"decision"`
	// Elsewhere means that it runs on another machine or in a container: it is named, not judged (GD-5).
	Elsewhere bool     `json:"elsewhere,omitempty"`
	Why       string   `json:"why,omitempty"`
	Instead   string   `json:"instead,omitempty"`
	Lost      []string `json:"lost,omitempty"`
	Asked     bool     `json:"asked,omitempty"`
	Loses     string   `json:"loses,omitempty"` // in words, where the rule has them
}

// outcome is the JSON form of the answer.
type outcome struct {
	Command   string   `json:"command"`
	In        string   `json:"in"`
	Decision  string   `json:"decision"`
	Effects   []effect `json:"effects"`
	Snapshots []string `json:"snapshots,omitempty"`
}

// Run prints the verdict.
func (c *Try) Run(r *cli.Call) error {
	set, err := deployment.LoadRules(c.Rules)
	if err != nil {
		return cli.Usage(err)
	}
	judge, err := guard.New(set)
	if err != nil {
		return cli.Usage(err)
	}
	checker, err := alone.NewChecker(set)
	if err != nil {
		return cli.Usage(err)
	}
	folder, err := filepath.Abs(c.In)
	if err != nil {
		return fmt.Errorf("find %s: %w", c.In, err)
	}
	out, err := c.judged(judge, checker, folder)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		err = cli.Readable(r.Stdout, out)
	} else {
		err = c.print(r, &out)
	}
	switch {
	case err != nil:
		return fmt.Errorf("print the verdict: %w", err)
	case out.Decision == string(guard.Deny):
		return cli.ErrDenied
	case out.Decision != string(guard.Allow):
		return cli.ErrWarned
	}
	return nil
}

// session is the session id under which a command is tried.
const session = "try"

func (c *Try) judged(judge *guard.Judge, checker *preflight.Checker, folder string) (outcome, error) {
	desk := uncommitted.New()
	desk.Seen(session, folder, uncommitted.Beginning)
	desk.Wait()
	facts := desk.Facts(session, folder, judge.Reader().Precious)
	defer facts.Close()
	effects := judge.Effects(c.Command, filepath.ToSlash(folder), facts)
	verdict := judge.Judge(effects, facts, judge.Permission(c.Said, ""))
	out := outcome{Command: c.Command, In: folder, Decision: string(verdict.Decision), Effects: []effect{}, Snapshots: verdict.Snapshots()}
	for i := range effects {
		out.Effects = append(out.Effects, explained(&effects[i], &verdict))
	}
	input, err := json.Marshal(map[string]string{"command": c.Command})
	if err != nil {
		return out, fmt.Errorf("read the command: %w", err)
	}
	answer := checker.Check(preflight.Call{Session: session, Name: shellTool, Input: input, Directory: filepath.ToSlash(folder), Workspace: filepath.ToSlash(folder), Said: c.Said, Facts: facts})
	if answer.Class == preflight.ClassSelfRelease { // the hook answers this before it considers what is destroyed
		out.Decision, out.Snapshots = string(answer.Decision), nil
		out.Effects = append(out.Effects, effect{Act: "act for the person", Rule: answer.Rule, Command: answer.Reason, Decision: string(answer.Decision), Why: ": only a person may do this"})
	}
	return out, nil
}

// shellTool is a tool that runs command lines, for asking the hook's question.
const shellTool = "Bash"

func (c *Try) print(r *cli.Call, out *outcome) error {
	var text strings.Builder
	mark := map[string]string{"allow": "allowed", "keep": "allowed, after a snapshot", "warn": "allowed, with a warning", "deny": "denied"}[out.Decision]
	fmt.Fprintf(&text, "%s\n", mark)
	said := 0
	for _, e := range out.Effects {
		if e.Decision == string(guard.Allow) && !e.Asked {
			continue
		}
		said++
		fmt.Fprintf(&text, "\n  %s%s\n", e.Command, e.Why)
		fmt.Fprintf(&text, "    read as   %s, rule %s", e.Act, e.Rule)
		if e.Pack != "" {
			fmt.Fprintf(&text, " of pack %s", e.Pack)
		}
		fmt.Fprintln(&text)
		for _, t := range e.Targets[:min(len(e.Targets), shown)] {
			fmt.Fprintf(&text, "    target    %s\n", t)
		}
		if e.Unknown {
			fmt.Fprintf(&text, "    target    only the shell knows it\n")
		}
		for _, l := range e.Lost[:min(len(e.Lost), shown)] {
			fmt.Fprintf(&text, "    lost      %s\n", l)
		}
		if more := len(e.Lost) - shown; more > 0 {
			fmt.Fprintf(&text, "    lost      %d more\n", more)
		}
		fmt.Fprintf(&text, "    verdict   %s\n", e.Decision)
		if e.Asked {
			fmt.Fprintf(&text, "    permitted because the person asked for it\n")
		} else if e.Instead != "" {
			fmt.Fprintf(&text, "    instead   %s\n", e.Instead)
		}
	}
	elsewhere := 0
	for _, e := range out.Effects {
		if e.Elsewhere && e.Decision == string(guard.Allow) {
			elsewhere++
			fmt.Fprintf(&text, "  %s runs on another machine or in a container: it is named, not judged.\n", e.Command)
		}
	}
	if said+elsewhere == 0 {
		fmt.Fprintf(&text, "  %s\n", nothing(out))
	}
	_, err := fmt.Fprint(r.Stdout, text.String())
	return err
}

// shown limits the targets and files of one effect in the text.
const shown = 8

func nothing(out *outcome) string {
	if len(out.Effects) == 0 {
		return "Nothing irrecoverable is affected."
	}
	var what []string
	for _, e := range out.Effects {
		one := e.Loses
		if len(e.Targets) > 0 {
			one, _ = strings.CutPrefix(e.Targets[0], filepath.ToSlash(out.In)+"/")
		}
		if more := len(e.Targets) - 1; more > 0 {
			one += fmt.Sprintf(" and %d more", more)
		}
		if one != "" && !slices.Contains(what, one) {
			what = append(what, one)
		}
	}
	named := ""
	if len(what) > 0 {
		named = " (" + strings.Join(what, ", ") + ")"
	}
	return "What is affected" + named + " can be recovered, is recreated, or belongs to nobody else."
}

func explained(e *guard.Effect, v *guard.Verdict) effect {
	out := effect{Act: e.Does(), Pack: e.Pack, Rule: e.Rule, Command: e.Command, In: e.At, Loses: e.Loses, Decision: string(guard.Allow), Elsewhere: e.Elsewhere}
	for _, p := range e.Places {
		if p.Unknown() {
			out.Unknown = true
		} else {
			out.Targets = append(out.Targets, p.Path)
		}
	}
	if e.Places == nil {
		out.Targets = e.Targets
	}
	for i := range v.Findings {
		f := &v.Findings[i]
		if f.Effect != e {
			continue
		}
		out.Decision, out.Why, out.Instead, out.Asked = string(f.Decision), f.Says, f.Instead, f.Asked
		for _, l := range f.Lost {
			out.Lost = append(out.Lost, l.Path+" ("+l.Whose()+")")
		}
	}
	return out
}

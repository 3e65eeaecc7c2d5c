package agent

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookclient"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hooktoken"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/loopback"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/ingest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// settingsPlace selects which settings file of an agent to change.
type settingsPlace struct {
	Scope  string `default:"user" enum:"user,project" help:"Change your own settings (user) or those of the current folder (project)."`
	DryRun bool   `help:"Show what would change without changing anything."`
	Diff   bool   `help:"Print each changed line; --dry-run does, too."`
}

// plan returns the part of the plan that installing and uninstalling share.
func (s settingsPlace) plan(agent string) (install.Plan, error) {
	directory, err := os.Getwd()
	if err != nil {
		return install.Plan{}, fmt.Errorf("find the project: %w", err)
	}
	home, err := os.UserHomeDir()
	if err != nil && s.Scope == string(install.ScopeUser) {
		home = "" // the plan says what to do if it needs one
	}
	settings, err := agents.Settings().Named(agent)
	if err != nil {
		return install.Plan{}, cli.Usage(err)
	}
	return install.Plan{Settings: settings, Scope: install.Scope(s.Scope), Home: home, Directory: directory, Environment: os.Getenv}, nil
}

// Install adds hooks to an agent's settings.
type Install struct {
	Agent string `enum:"${hooked}," default:"" help:"Agent: ${hooked_help} All whose settings are on this machine by default." placeholder:"NAME"`
	settingsPlace
	URL        string `name:"url" help:"URL of the running system; defaults to http.address of the configuration, then to that of \"scaffoldwatch up\"." placeholder:"http://127.0.0.1:8420"`
	FailClosed bool   `help:"Deny tools while the system does not answer."`
}

// Help gives examples.
func (Install) Help() string {
	return `Adds the hooks to the settings file of one agent, or of all that are on this machine. Says what
changed; --diff prints the lines. Running it again changes nothing. A backup of the file is kept next to it;
other hooks, formatting and comments are preserved. The pages in docs/agents describe what each agent shows and accepts.

Examples:
  scaffoldwatch install
  scaffoldwatch install --agent claude-code
  scaffoldwatch install --agent codex --dry-run
  scaffoldwatch install --agent gemini --scope project --url http://127.0.0.1:8421`
}

// Run changes the settings, or shows the change. If no agent is named, a file that cannot be changed does
// not affect the other agents.
func (c *Install) Run(r *cli.Call) error {
	if c.Agent != "" {
		return c.one(r, c.Agent)
	}
	found, err := c.found()
	if err != nil {
		return err
	}
	var problems []error
	for _, agent := range found {
		problems = append(problems, c.one(r, agent))
	}
	return errors.Join(problems...)
}

// found returns the agents in use on this machine.
func (c *Install) found() (list []string, err error) {
	var problems []error
	for _, agent := range agents.Settings().Names() {
		plan, err := c.plan(agent)
		if err != nil {
			return nil, err
		}
		there, err := plan.Installed()
		if err != nil {
			problems = append(problems, err)
		} else if there.Used {
			list = append(list, agent)
		}
	}
	if len(list) == 0 {
		return nil, errors.Join(append(problems, cli.Usage(fmt.Errorf(
			"no settings of an agent were found; name the agent with --agent (%s)", strings.Join(agents.Settings().Names(), ", "))))...)
	}
	return list, errors.Join(problems...)
}

// one adds the hooks to one agent's settings.
func (c *Install) one(r *cli.Call, agent string) error {
	plan, err := c.plan(agent)
	if err != nil {
		return err
	}
	settings, err := cli.Connection{}.Settings(r)
	if err != nil {
		return err
	}
	plan.URL, plan.Token, plan.FailClosed = c.URL, settings.HTTP.Token != "" && settings.Hooks.Tokens == "", c.FailClosed
	if plan.URL == "" {
		plan.URL = systemURL(settings.HTTP.Address, settings.HTTP.TLSCert != "")
	}
	if err := install.CheckURL(plan.URL); err != nil {
		return cli.Usage(err)
	}
	whole, client, advice, err := c.programs()
	if err != nil {
		return err
	}
	plan.Program, plan.Client = whole, client
	missing, err := c.token(settings, agent, plan.URL)
	if err != nil {
		return err
	}
	change, err := plan.Install()
	if err != nil {
		return err
	}
	if change.Empty() {
		fmt.Fprintf(r.Stderr, "%s: the hooks are already installed; nothing changed\n", terminal.Clean(change.Path))
		tell(r, missing)
		return nil
	}
	if err := c.carryOut(r, change); err != nil {
		return err
	}
	tell(r, append(append(change.Notes, advice...), missing...))
	if !c.DryRun {
		watches := "`scaffoldwatch up` watches"
		if hookclient.Remote(plan.URL) {
			watches = "`scaffoldwatch doctor` says whether " + terminal.Clean(plan.URL) + " accepts its calls"
		}
		say(r, fmt.Sprintf("next: start %s again; `scaffoldwatch doctor --test %s` tries the guard, %s, "+
			"`scaffoldwatch uninstall` removes the hooks", agent, agent, watches))
	}
	return nil
}

// tell prints notes.
func tell(r *cli.Call, notes []string) {
	for _, note := range notes {
		say(r, "note: "+terminal.Clean(note))
	}
}

// say prints a line for people, broken at spaces at a terminal.
func say(r *cli.Call, text string) {
	if r.Theme.Interactive {
		text = terminal.Wrap(text, r.Theme.Width, 0)
	}
	fmt.Fprintln(r.Stderr, text)
}

// token creates the token with which the agent's hooks authenticate to a system of this machine. The token
// of a remote system is created there: if it is missing, the returned lines say what to do.
func (c *Install) token(settings config.Config, agent, to string) (missing []string, err error) {
	folder := cmp.Or(settings.Hooks.Tokens, hooktoken.Folder(os.Getenv))
	if c.DryRun || folder == "" {
		return nil, nil
	}
	if u, err := url.Parse(to); err == nil && u.Hostname() != "" && !loopback.Is(u.Hostname()) {
		if hooktoken.Read(folder, agent) == "" && os.Getenv(hookclient.VariableToken) == "" {
			missing = append(missing, fmt.Sprintf("%s has no %s.token, so the system at %s does not accept the hooks: "+
				"copy the one that was created where it runs (docs/install.md, Agents)",
				folder, agent, u.Hostname()))
		}
		return missing, nil
	}
	_, err = hooktoken.Make(folder, agent)
	return nil, err
}

// systemURL returns the URL of a configured system, "" if its port is chosen at start (0).
func systemURL(address string, tls bool) string {
	_, port, err := net.SplitHostPort(address)
	switch {
	case err != nil, port == "0":
		return install.DefaultURL
	case tls:
		return "https://" + address
	}
	return "http://" + address
}

// programs returns how the agent starts this program and the small one next to it: by path, so that the
// PATH of an IDE, a service or cron does not matter (GD-22), but by bare name in a project, which others
// share.
func (s settingsPlace) programs() (whole, client string, advice []string, err error) {
	own, err := os.Executable()
	if err != nil {
		return "", "", nil, fmt.Errorf("find this program: %w", err)
	}
	beside := filepath.Join(filepath.Dir(own), install.ClientName+filepath.Ext(own))
	whole, inPath := s.called(own)
	if _, err := os.Stat(beside); err != nil {
		if found, err := exec.LookPath(install.ClientName); err == nil {
			beside = found
		} else {
			advice = append(advice, install.ClientName+" is not next to "+filepath.Base(own)+": the hooks run the full program, which costs the agent more at each step.")
			beside = ""
		}
	}
	if beside != "" {
		client, inPath = s.called(beside)
	}
	if !inPath && s.Scope == string(install.ScopeProject) {
		advice = append(advice, cmp.Or(client, whole)+" is not in your PATH: put it there, or the hooks find nothing to run.")
	}
	return whole, client, advice, nil
}

// called returns the name by which the agent's shell calls a program, and whether it is found through PATH.
func (s settingsPlace) called(program string) (string, bool) {
	name := filepath.Base(program)
	found, err := exec.LookPath(name)
	inPath := err == nil && sameFile(found, program)
	if s.Scope == string(install.ScopeProject) {
		return name, inPath
	}
	return program, inPath
}

func sameFile(one, other string) bool {
	a, err := os.Stat(one)
	if err != nil {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}

// Uninstall removes the hooks from an agent's settings.
type Uninstall struct {
	Agent string `enum:"${hooked}," default:"" help:"Agent: ${hooked_help} All of them by default." placeholder:"NAME"`
	All   bool   `help:"Also remove what was recorded, keys, tokens and your rules. Asks at a terminal."`
	settingsPlace
}

// Help gives examples.
func (Uninstall) Help() string {
	return `Removes the hooks from the settings file of one agent or all; --diff prints the lines. If nothing else
changed since the installation, the file is byte for byte what it was before. Lists what else of
ours is on this machine; with --all, that is removed, too.

Examples:
  scaffoldwatch uninstall
  scaffoldwatch uninstall --all
  scaffoldwatch uninstall --agent claude-code
  scaffoldwatch uninstall --agent gemini --scope project --dry-run`
}

// Run removes the hooks. If no agent is named, a file that cannot be changed does not affect the other
// agents.
func (c *Uninstall) Run(r *cli.Call) error {
	if c.Agent != "" {
		if c.All {
			return cli.Usage(errors.New("--all and --agent are mutually exclusive: --all removes what all agents use"))
		}
		file, err := c.remove(r, c.Agent)
		if err == nil && file != "" {
			say(r, "no hooks of ours in "+terminal.Clean(file)+"; nothing changed")
		}
		return err
	}
	var problems []error
	removed := false
	for _, agent := range agents.Settings().Names() {
		file, err := c.remove(r, agent)
		problems = append(problems, err)
		removed = removed || err == nil && file == ""
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	if !removed {
		say(r, "no agent's settings have hooks of ours; nothing changed")
	}
	if c.All {
		return c.removeLeft(r, left())
	}
	tellLeft(r, left())
	return nil
}

// remove removes the hooks of one agent. If there are none, it returns the file that has none.
func (c *Uninstall) remove(r *cli.Call, agent string) (without string, err error) {
	plan, err := c.plan(agent)
	if err != nil {
		return "", err
	}
	change, err := plan.Uninstall()
	if err != nil {
		return "", err
	}
	if change.Empty() {
		return change.Path, nil
	}
	return "", c.carryOut(r, change)
}

// carryOut applies a change and says what it was; the lines themselves on request.
func (s settingsPlace) carryOut(r *cli.Call, change install.Change) error {
	shown, err := ingest.CleanText(change.Diff(), change.Path)
	if err != nil {
		return err
	}
	if !s.DryRun {
		if err := change.Apply(); err != nil {
			return err
		}
	}
	printed := s.Diff || s.DryRun
	for _, line := range outcome(change, s.DryRun, printed) {
		fmt.Fprintln(r.Stderr, terminal.Clean(line))
	}
	if !printed {
		return nil
	}
	for line := range strings.Lines(shown) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		for i := range cells {
			cells[i] = terminal.Clean(cells[i])
		}
		if _, err := fmt.Fprintln(r.Stdout, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return nil
}

// outcome describes what happened to the files; printed says that the lines follow.
func outcome(c install.Change, dryRun, printed bool) []string {
	if dryRun {
		return []string{c.Path + ": a dry run; nothing changed"}
	}
	how := ""
	if added, removed := c.Lines(); !printed {
		how = fmt.Sprintf(": %s, %d removed (--diff prints them)", text.Count(added, "line")+" added", removed)
		if removed == 0 {
			how = fmt.Sprintf(": %s added (--diff prints them)", text.Count(added, "line"))
		}
	}
	var lines []string
	switch {
	case c.Remove:
		lines = append(lines, c.Path+" contained nothing else and was removed")
	case !c.Existed:
		lines = append(lines, "wrote "+c.Path+how)
	default:
		lines = append(lines, "changed "+c.Path+how)
	}
	if c.Backup != "" {
		lines = append(lines, "the file as it was: "+c.Backup)
	}
	if c.Restored != "" {
		lines = append(lines, "it is as it was before the installation")
	}
	if c.Kept != "" {
		lines = append(lines, "it was changed after the installation; the file as it was before stays at "+c.Kept)
	}
	return lines
}

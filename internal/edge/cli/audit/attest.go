package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/attest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Attest signs a verdict on commits, a session or a run (AU-30).
type Attest struct {
	cli.Connection
	Commit  []string `help:"Commits, as full ids or as Git in --repo names them." placeholder:"SHA" sep:","`
	Session string   `help:"Session id." placeholder:"ID"`
	InRun   string   `name:"run" help:"Run id." placeholder:"ID"`
	Repo    string   `help:"Folder of the Git repository, for the files and times of commits." type:"existingdir" placeholder:"DIR"`
	Key     string   `help:"File of the nkey seed to sign with; default: security.signing_seed." type:"path" placeholder:"FILE"`
	Out     string   `help:"Write the attestation to this file, which must not exist, instead of stdout." type:"path" placeholder:"FILE"`
	Note    bool     `help:"Add the attestation to each commit as a Git note (refs/notes/scaffoldwatch) in --repo, instead of printing it."`
	Rules   string   `help:"Rules file (YAML), default: that of the configuration." type:"path" placeholder:"FILE"`
	// Wait serves the hooks: a commit is attested right after it was made.
	Wait time.Duration `help:"Wait this long for the git.commit fact of each commit." default:"0s" placeholder:"DURATION"`
}

// Help explains what is attested.
func (Attest) Help() string {
	return `Verifies the streams and signs an in-toto v1 statement in a DSSE envelope: which agents and
models worked on a commit, which turns were watched and which were not, findings by detector
with file and line, what was said, heeded and ignored, breaks, gates, who decided, the rules
that applied and the heads of the chain. It contains no text of a transcript, and lists
what is not known.

A commit is found by the git.commit facts of "git-hook install", and by the files that
sessions edited before it was made (--repo). "verify FILE" checks an attestation offline.

Examples:
  scaffoldwatch attest --commit HEAD --repo . --out head.att
  scaffoldwatch attest --run nightly-42 --key auditor.seed > nightly-42.att
  scaffoldwatch attest --commit HEAD,HEAD~1 --repo . --note
  scaffoldwatch verify head.att --key AB…
  git notes --ref=scaffoldwatch show HEAD | scaffoldwatch verify - --key AB…`
}

// Run makes the attestation.
func (c *Attest) Run(r *cli.Call) error {
	if err := c.check(); err != nil {
		return cli.Usage(err)
	}
	repo, request := repository{dir: c.Repo}, attest.Request{}
	var err error
	if request.Commits, err = repo.named(r, c.Commit); err != nil {
		return err
	}
	key, err := signingKey(c.Connection, r, c.Key)
	if err != nil {
		return err
	}
	options, err := c.options(r)
	if err != nil {
		return err
	}
	if err := c.await(r, request.Commits); err != nil {
		return err
	}
	var source record.Source
	if source, options.Heads, err = verifiedSource(c.Connection, r); err != nil {
		return err
	}
	if c.Session != "" {
		request.Sessions = []string{c.Session}
	}
	if c.InRun != "" {
		request.Runs = []string{c.InRun}
	}
	if c.Repo != "" && len(c.Commit) == 0 {
		if request.Commits, err = repo.around(r, source, request, options); err != nil {
			return err
		}
	}
	verdict, err := attest.Build(r, source, request, options)
	if errors.Is(err, attest.ErrNothing) {
		return fmt.Errorf("%w%s", err, listed)
	}
	if err != nil {
		return err
	}
	signed, err := verdict.Sign(r, key)
	if err != nil {
		return err
	}
	return c.give(r, repo, verdict, signed)
}

const listed = "; `scaffoldwatch sessions` and `scaffoldwatch runs` list what is"

func (c *Attest) check() error {
	asked := 0
	for _, is := range []bool{len(c.Commit) > 0, c.Session != "", c.InRun != ""} {
		if is {
			asked++
		}
	}
	switch {
	case c.Session != "" && !events.ValidID(c.Session), c.InRun != "" && !events.ValidID(c.InRun):
		return fmt.Errorf("%q is not an id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.Session+c.InRun)
	case asked != 1:
		return errors.New("name what to attest: exactly one of --commit SHA, --session ID or --run ID")
	case c.Note && c.Repo == "":
		return errors.New("--note requires --repo DIR")
	case c.Note && c.Out != "":
		return errors.New("--note and --out are mutually exclusive")
	}
	return nil
}

// options returns the options of a verdict made here and now.
func (c *Attest) options(r *cli.Call) (attest.Options, error) {
	settings, err := c.Settings(r)
	if err != nil {
		return attest.Options{}, err
	}
	return verdictOptions(settings, c.Rules)
}

// verdictOptions returns options with the rules for reading reports and finding secrets.
func verdictOptions(settings config.Config, file string) (o attest.Options, err error) {
	of, err := deployed(settings, file)
	if err != nil {
		return o, err
	}
	core, err := machines.New(of)
	if err != nil {
		return o, cli.Usage(err)
	}
	o = attest.Options{Now: now(), Build: buildinfo.Version(), Clean: func(text string) string {
		clean, _ := core.Redactor.Text(text, "")
		return clean
	}}
	if o.Sessions, err = sessionreport.LoadSettings(of.Rules); err != nil {
		return o, cli.Usage(err)
	}
	o.Runs, err = runreport.LoadSettings(of.Rules)
	return o, err
}

// deployed returns the options from which the services build their machines, with other rules if a file is
// named.
func deployed(settings config.Config, file string) (o deployment.Options, err error) {
	o.IdleTimeout = settings.Session.IdleTimeout
	if o.Rules, err = deployment.LoadRules(cmp.Or(file, settings.Rules)); err != nil {
		return o, cli.Usage(err)
	}
	if o.FingerprintKey, err = deployment.LoadKey(settings.Security.FingerprintKey); err != nil {
		return o, cli.Usage(err)
	}
	return o, nil
}

// await waits until facts name the commits, at most as long as the caller allows.
func (c *Attest) await(r *cli.Call, commits []attest.GitCommit) error {
	if c.Wait <= 0 || len(commits) == 0 {
		return nil
	}
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	for end := now().Add(c.Wait); now().Before(end); {
		named := map[string]bool{}
		err := attest.Each(r, record.Running(broker), runevents.TypeGitCommit, func(e events.Event) {
			if d, is := e.Data.(*runevents.GitCommit); is {
				named[d.SHA] = true
			}
		})
		if err != nil {
			return fmt.Errorf("read the facts about commits: %w", err)
		}
		if !slices.ContainsFunc(commits, func(c attest.GitCommit) bool { return !named[c.SHA] }) {
			return nil
		}
		select {
		case <-r.Done():
			return r.Err()
		case <-time.After(time.Second):
		}
	}
	return nil
}

// give prints the attestation, writes it to a file, or adds it as a note.
func (c *Attest) give(r *cli.Call, repo repository, v *attest.Verdict, signed []byte) error {
	for _, unknown := range v.Unknown {
		fmt.Fprintln(r.Stderr, "not known:", terminal.Clean(unknown))
	}
	switch {
	case c.Note:
		for _, commit := range v.Commits {
			if err := repo.note(r, commit.SHA, signed); err != nil {
				return err
			}
			fmt.Fprintf(r.Prose(), "noted on %s\n", commit.SHA)
		}
		return nil
	case c.Out != "":
		if err := create(c.Out, signed, 0o644); err != nil {
			return fmt.Errorf("write the attestation: %w", err)
		}
		_, err := fmt.Fprintf(r.Prose(), "%s: %s\n", c.Out, summary(v))
		return err
	}
	_, err := r.Stdout.Write(signed)
	return err
}

// summary describes the subjects of a verdict on one line.
func summary(v *attest.Verdict) string {
	findings, said, heeded, watched, not := 0, 0, 0, 0, 0
	for _, s := range v.Sessions {
		findings += len(s.Findings)
		said += len(s.Interrupts)
		watched += s.Turns.Watched
		not += s.Turns.NotWatched
		for _, i := range s.Interrupts {
			if i.Heed == "heeded" {
				heeded++
			}
		}
	}
	breaks := 0
	for _, of := range v.Runs {
		breaks += len(of.Breaks)
	}
	return strings.Join([]string{
		text.Count(len(v.Commits), "commit"), text.Count(len(v.Sessions), "session"), text.Count(len(v.Runs), "run"),
		fmt.Sprintf("%s watched and %d not", text.Count(watched, "turn"), not), text.Count(findings, "finding"),
		fmt.Sprintf("%s, %d heeded", text.Count(said, "interrupt"), heeded), text.Count(breaks, "break"), fmt.Sprintf("%d not known", len(v.Unknown)),
	}, ", ")
}

// readFile reads a file, or standard input for "-".
func readFile(r *cli.Call, name, wanted string) ([]byte, error) {
	if name == "-" {
		data, err := io.ReadAll(io.LimitReader(r.Input(), attest.MaxBytes+1))
		if err != nil {
			return nil, fmt.Errorf("read stdin: %w", err)
		}
		return data, nil
	}
	data, err := r.ReadFile(name)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("%w; name %s", err, wanted))
	}
	return data, nil
}

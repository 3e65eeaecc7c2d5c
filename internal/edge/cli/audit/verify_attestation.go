package audit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/attest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// attestationReport is the JSON form of a verified attestation.
type attestationReport struct {
	Verified bool           `json:"verified"`
	Signer   string         `json:"signer,omitempty"`
	Compared bool           `json:"compared"` // with the record
	Faults   []attest.Fault `json:"faults"`
	// NotProven lists what the verification does not prove (AU-4).
	NotProven []string        `json:"not_proven,omitempty"`
	Verdict   *attest.Verdict `json:"verdict,omitempty"`
}

// attestation checks an attestation: offline, and with --bundle or --live against the record.
func (c *Verify) attestation(r *cli.Call, data []byte) error {
	commits, err := c.flags()
	if err != nil {
		return err
	}
	known, err := keys(c.Connection, r)
	if err != nil {
		return err
	}
	if _, err := verifiers(c.Key, nil); err != nil {
		return err
	}
	trusted := slices.Clone(c.Key)
	for _, of := range known.Trusted {
		trusted = append(trusted, of...)
	}
	if len(trusted) == 0 {
		return cli.Usage(errors.New("no key to check the attestation with: name the public key that signed it with --key, or in security.trusted_keys"))
	}
	report := attestationReport{Faults: []attest.Fault{}}
	err = c.judge(r, data, trusted, known, &report)
	var fault *attest.Fault
	switch {
	case errors.As(err, &fault):
		report.Faults = append(report.Faults, *fault)
	case err != nil:
		return err
	}
	if report.Verdict != nil {
		report.Faults = append(report.Faults, uncovered(report.Verdict, commits)...)
	}
	report.Verified = len(report.Faults) == 0
	if err := c.printAttestation(r, report); err != nil {
		return err
	}
	if !report.Verified {
		return fmt.Errorf("%w: %s", ErrFindings, report.Faults[0].Error())
	}
	return nil
}

// flags checks the flags for an attestation and returns the commits that it must cover.
func (c *Verify) flags() (commits []string, err error) {
	switch {
	case c.Bundle != "" && c.Live:
		return nil, cli.Usage(errors.New("--bundle and --live are mutually exclusive"))
	case len(c.Anchor) > 0 && c.Bundle == "":
		return nil, cli.Usage(errors.New("an attestation alone has nothing to compare with --anchor: add --bundle FILE, or verify the running system without a file"))
	}
	for _, name := range c.Commit {
		sha, full := fullID(name)
		if !full {
			return nil, cli.Usage(fmt.Errorf("--commit %q is not a full commit id; `git rev-parse %s` prints it", name, name))
		}
		commits = append(commits, sha)
	}
	return commits, nil
}

// uncovered returns a fault for each commit that the verdict does not cover.
func uncovered(v *attest.Verdict, commits []string) (faults []attest.Fault) {
	for _, sha := range commits {
		if !slices.ContainsFunc(v.Commits, func(of attest.Commit) bool { return of.SHA == sha }) {
			faults = append(faults, attest.Fault{Place: "predicate.commits", What: "commit " + sha + " is not among them; this attestation says nothing about it"})
		}
	}
	return faults
}

// judge opens an attestation and compares it. If its key was revoked after the time that it states, it
// counts only if the record, proven by trusted keys, agrees: a thief of the key could have backdated it
// (ADR 14).
func (c *Verify) judge(r *cli.Call, data []byte, trusted []string, known chain.Keys, report *attestationReport) error {
	a, err := attest.Open(data, trusted)
	if err != nil {
		return err
	}
	revoked, err := a.Judge(known)
	if err != nil {
		return err
	}
	report.Signer, report.Verdict = a.Signer, a.Verdict
	if err := c.compare(r, a, report); err != nil || revoked.IsZero() {
		return err
	}
	if !report.Compared || !known.All() {
		report.Faults = append(report.Faults, a.Doubtful(revoked))
		return nil
	}
	report.NotProven = append(report.NotProven, "when and by which build it was made, and that nothing else is not known: "+chain.Doubt(a.Signer, revoked))
	return nil
}

// compare derives the verdict again from the record.
func (c *Verify) compare(r *cli.Call, a *attest.Attestation, report *attestationReport) error {
	if !c.Live && c.Bundle == "" {
		report.NotProven = append(report.NotProven, "that the verdict follows from what is recorded; compare it with --bundle FILE or --live")
		return nil
	}
	settings, err := c.Settings(r)
	if err != nil {
		return err
	}
	options, err := verdictOptions(settings, "")
	if err != nil {
		return err
	}
	options.Excerpt = bundle.Is(c.Bundle)
	var source record.Source
	if source, options.Heads, err = c.recorded(r); err != nil {
		return err
	}
	faults, err := attest.Compare(r, a, source, options)
	report.Faults, report.Compared = append(report.Faults, faults...), true
	return err
}

// recorded opens and verifies what an attestation is compared with.
func (c *Verify) recorded(r *cli.Call) (record.Source, []chain.Head, error) {
	if c.Bundle == "" {
		return verifiedSource(c.Connection, r)
	}
	if !backup.Is(c.Bundle) {
		return c.comparedBundle(r)
	}
	known, anchors, err := trusted(c.Connection, r, c.Anchor, c.AnchorKey)
	if err != nil {
		return nil, nil, err
	}
	b, report, err := readBackup(r, c.Bundle, known, backupReading{signers: c.Key, anchors: anchors})
	if err != nil {
		return nil, nil, err
	}
	if !report.Verified {
		return nil, nil, fmt.Errorf("%s: %w: %s", c.Bundle, ErrFindings, report.Findings[0])
	}
	return record.Backup(b), report.Heads(), nil
}

func (c *Verify) printAttestation(r *cli.Call, report attestationReport) error {
	if c.Output == "json" {
		return cli.Indented(r.Stdout, report)
	}
	for _, f := range report.Faults {
		fmt.Fprintln(r.Prose(), terminal.Clean(f.Error()))
	}
	if report.Verdict == nil {
		return nil
	}
	v := report.Verdict
	for _, commit := range v.Commits {
		fmt.Fprintf(r.Prose(), "commit   %s  found by %s\n", commit.SHA, terminal.Clean(commit.Found))
	}
	for _, s := range v.Sessions {
		fmt.Fprintf(r.Prose(), "session  %s  %s %v: %d of %d turns watched, %s, %s\n", terminal.Clean(s.ID), terminal.Clean(s.Agent.Kind), cleaned(s.Agent.Models),
			s.Turns.Watched, s.Turns.Received+s.Turns.Skipped, text.Count(len(s.Findings), "finding"), text.Count(len(s.Interrupts), "interrupt"))
	}
	for _, of := range v.Runs {
		fmt.Fprintf(r.Prose(), "run      %s  %s, %s, %s\n", terminal.Clean(of.ID), text.Count(len(of.Breaks), "break"), text.Count(len(of.Gates), "gate"),
			text.Count(len(of.Violations), "violation"))
	}
	for _, unknown := range v.Unknown {
		fmt.Fprintln(r.Prose(), "not known:", terminal.Clean(unknown))
	}
	for _, limit := range report.NotProven {
		fmt.Fprintln(r.Prose(), "not proven:", limit)
	}
	if report.Verified {
		fmt.Fprintf(r.Prose(), "verified: signed by %s at %s: %s\n", report.Signer, v.Made.Format("2006-01-02T15:04:05Z"), summary(v))
	}
	return nil
}

func cleaned(texts []string) (all []string) {
	for _, text := range texts {
		all = append(all, terminal.Clean(text))
	}
	return all
}

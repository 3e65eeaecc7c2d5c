package main

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/advised"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/measure"
)

// judgedClaim is a claim with what a reader needs to judge its verdict: the words around it, and what the
// session changed and checked before.
type judgedClaim struct {
	sessionevents.Claim
	file, session, said string
	changes, checks     []string
}

// maxContext bounds the changes and checks listed with a claim, saidAround the bytes on both sides of it.
const maxContext, saidAround = 12, 400

// listClaims writes every contradicted claim of all transcripts, and a sample of the proven ones, to a file
// to be read. All claims are counted.
func listClaims(data, path string, sample advised.Sample) error {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	if err != nil {
		return err
	}
	paths, err := measure.Transcripts(data)
	if err != nil {
		return err
	}
	found := map[sessionevents.Verdict][]judgedClaim{}
	for _, p := range paths {
		input, err := measure.ReadEvents(p)
		if err != nil {
			return err
		}
		claims, err := claimsOf(core, input)
		if err != nil {
			return err
		}
		for _, c := range claims {
			c.file = filepath.Base(p)
			found[c.Verdict] = append(found[c.Verdict], c)
		}
	}
	proven := slices.Clone(found[sessionevents.Proven])
	slices.SortFunc(proven, func(a, b judgedClaim) int {
		return strings.Compare(a.lot(sample.Seed), b.lot(sample.Seed))
	})
	proven = proven[:min(len(proven), sample.Size)]
	fmt.Printf("%d contradicted, %d unproven, %d not checkable, %d proven (%d drawn)\n",
		len(found[sessionevents.Contradicted]), len(found[sessionevents.Unproven]),
		len(found[sessionevents.NotCheckable]), len(found[sessionevents.Proven]), len(proven))
	var b strings.Builder
	for i, c := range append(found[sessionevents.Contradicted], proven...) {
		c.write(&b, i+1)
	}
	return writeListing(data, path, b.String())
}

// claimsOf returns the claims of the sessions of one transcript.
func claimsOf(core *machines.Core, input []events.Event) ([]judgedClaim, error) {
	chain := core.Chain()
	changes, checks := map[string][]string{}, map[string][]string{}
	var out []judgedClaim
	for _, e := range input {
		prepared, err := publish.Prepare(e)
		if err != nil {
			return nil, fmt.Errorf("prepare %s: %w", e.ID, err)
		}
		for _, decided := range chain.Feed(prepared) {
			d, is := decided.Data.(*sessionevents.TurnEvaluated)
			if !is || d.Ledger == nil {
				continue
			}
			for _, p := range d.Ledger.Paths {
				changes[d.Session] = append(changes[d.Session], fmt.Sprintf("%d %s", d.Turn, p))
			}
			for _, r := range d.Ledger.Checks {
				checks[d.Session] = append(checks[d.Session], fmt.Sprintf("%d.%d %s %s %d/%d `%s`",
					r.Turn, r.Segment, r.Kind, r.Result, r.Passed, r.Failed, r.Command))
			}
			for _, c := range sessionreport.SentencesOnce(d.Ledger.Claims) {
				out = append(out, judgedClaim{
					Claim: c, session: d.Session, said: around(e, c.Text),
					changes: last(changes[d.Session]), checks: last(checks[d.Session]),
				})
			}
		}
	}
	return out, nil
}

func last(list []string) []string { return slices.Clone(list[max(0, len(list)-maxContext):]) }

// around returns the text of a turn before and after a claim.
func around(e events.Event, claim string) string {
	turn, is := e.Data.(*sessionevents.Turn)
	if !is {
		return ""
	}
	text := turn.Text
	for i := range turn.Blocks {
		text += turn.Blocks[i].Text + "\n"
	}
	begins, _, _ := strings.Cut(claim, "`")
	at := max(0, strings.Index(text, begins))
	return strings.ToValidUTF8(text[max(0, at-saidAround):min(len(text), at+saidAround)], "")
}

// lot decides by a seed where a claim comes in a drawing.
func (c judgedClaim) lot(seed string) string {
	key := fmt.Sprint(seed, c.session, c.Turn, c.Segment, c.Offset, c.Kind, c.Text)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(key)))
}

func (c judgedClaim) write(b *strings.Builder, n int) {
	fmt.Fprintf(b, "==== %d %s %s/%s %s turn %d (final %v)\nCLAIM %s\nWHY   %s\n",
		n, c.Verdict, c.Kind, c.Gap, c.file, c.Turn, c.Final, c.Text, c.Why)
	fmt.Fprintf(b, "SAID  %s\nCHANGES %s\n",
		strings.ReplaceAll(c.said, "\n", "\n      "), strings.Join(c.changes, ", "))
	for _, line := range c.checks {
		fmt.Fprintf(b, "CHECK %s\n", line)
	}
}

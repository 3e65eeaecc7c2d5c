package bundle

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// close states what the report does not prove.
func (r *Report) close() {
	r.Verified = len(r.Faults) == 0
	for _, name := range Streams {
		if !r.authentic[name] {
			r.NotProven = append(r.NotProven, string(name)+": consistent, not authentic: no key of its stage is trusted, so the maker of the bundle could have made the chain, too (security.trusted_keys)")
		}
	}
	if r.SignedBy == "" {
		r.NotProven = append(r.NotProven, "that nothing was left out, and the times: no key that you trust has signed the manifest (export --key, --anchor-key); a replay finds events without their input")
	}
	if r.Anchors == 0 {
		r.NotProven = append(r.NotProven, "that the system still holds this history: no anchor matches; make one with `scaffoldwatch anchor --out FILE`, and export the bundle again with --anchor FILE")
	}
}

// WriteText prints the report for a person.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, quote.Visible(fmt.Sprintf("bundle of %s: %s", r.Selection, strings.Join(clipped(r.Groups, 10), ", "))))
	events, batches := 0, 0
	for _, s := range r.Streams {
		fmt.Fprintf(&b, "%-9s  %s in %s\n", s.Name, chain.Counted(s.Events, s.Batches), text.Count(len(s.Partitions), "partition"))
		events, batches = events+s.Events, batches+s.Batches
	}
	for _, key := range slices.Sorted(maps.Keys(r.KeyStates)) {
		fmt.Fprintf(&b, "key        %s, %s\n", quote.Visible(key), r.KeyStates[key])
	}
	if r.SignedBy != "" {
		fmt.Fprintf(&b, "manifest   signed by %s\n", r.SignedBy)
	}
	for _, f := range r.Faults {
		fmt.Fprintf(&b, "FAULT      %s\n", f.Error())
	}
	if r.more > 0 {
		fmt.Fprintf(&b, "FAULT      and %d more\n", r.more)
	}
	for _, limit := range r.NotProven {
		fmt.Fprintf(&b, "not proven %s\n", quote.Visible(limit))
	}
	fmt.Fprintln(&b, r.result(events, batches))
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) result(events, batches int) string {
	if r.Verified {
		return "verified: " + chain.Counted(events, batches)
	}
	return fmt.Sprintf("NOT verified: %s; %s", text.Count(len(r.Faults)+r.more, "fault"), chain.Counted(events, batches))
}

// clipped returns the beginning of a long list.
func clipped(list []string, most int) []string {
	if len(list) <= most {
		return list
	}
	return append(slices.Clone(list[:most]), fmt.Sprintf("and %d more", len(list)-most))
}

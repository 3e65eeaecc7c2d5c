package chain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// WriteText writes the report for a person: what each stream holds, what was found, what is not proven, and
// the result on the last line.
func (r *Report) WriteText(w io.Writer, partitions bool) error {
	var b strings.Builder
	for _, s := range r.Streams {
		s.text(&b, partitions)
	}
	for _, p := range slices.Concat(r.Purged, r.Announced) {
		fmt.Fprintln(&b, p)
	}
	for _, u := range r.Unfinished {
		fmt.Fprintln(&b, u)
	}
	for _, a := range r.Acknowledged {
		fmt.Fprintln(&b, a)
	}
	for _, f := range r.Findings {
		fmt.Fprintln(&b, f)
	}
	for _, limit := range r.Limits {
		fmt.Fprintln(&b, "not proven:", limit)
	}
	fmt.Fprintln(&b, r.Result())
	_, err := io.WriteString(w, b.String())
	return err
}

// Counts returns how much was read, in words.
func (r *Report) Counts() string {
	return Counted(r.Events, r.Batches) + ", " + text.Count(len(r.Heads()), "head")
}

// Counted returns numbers of events and batches, in words.
func Counted(events, batches int) string {
	return text.Count(events, "event") + ", " + text.Count(batches, "batch", "batches")
}

// Result returns the last line of the report.
func (r *Report) Result() string {
	counts := r.Counts()
	if r.Anchors.Heads > 0 {
		counts += fmt.Sprintf(", %d of %d anchored heads in place", r.Anchors.Proven, r.Anchors.Heads)
		if r.Anchors.Aged > 0 {
			counts += fmt.Sprintf(" (%d aged out", r.Anchors.Aged)
			if r.Anchors.Bound > 0 {
				counts += fmt.Sprintf(", %d of these named by records of the chain", r.Anchors.Bound)
			}
			counts += ")"
		}
	}
	if n := len(r.Acknowledged); n > 0 {
		counts += ", " + text.Count(n, "acknowledged fault")
	}
	if r.Verified {
		return "verified: " + counts
	}
	total := 0
	for _, f := range r.Findings {
		total += 1 + f.More
	}
	return fmt.Sprintf("NOT verified: %s; %s", text.Count(total, "finding"), counts)
}

func (s StreamReport) text(b *strings.Builder, partitions bool) {
	if s.Missing {
		return
	}
	batches, events := 0, 0
	for _, p := range s.Partitions {
		batches, events = batches+p.Batches, events+p.Events
	}
	fmt.Fprintf(b, "%-9s  %s in %s", s.Name, Counted(events, batches), text.Count(len(s.Partitions), "partition"))
	if s.Messages > 0 {
		fmt.Fprintf(b, ", %s to %s", clock(s.From), clock(s.To))
	}
	fmt.Fprintln(b)
	s.beginText(b)
	s.buildText(b)
	if !partitions {
		return
	}
	for _, p := range s.Partitions {
		fmt.Fprintf(b, "  partition %-3d %6d events %5d batches  %s to %s  head %d %s", p.Partition, p.Events, p.Batches, clock(p.From), clock(p.To), p.Head.Sequence, digestOf(p.Head.Digest))
		if p.Begins > 0 {
			fmt.Fprintf(b, "  begins at %d", p.Begins)
		}
		fmt.Fprintln(b)
	}
}

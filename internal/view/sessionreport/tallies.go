package sessionreport

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
)

// detectorsPart counts the signals by detector and end.
func (s placed) detectorsPart() doc.Part {
	p := doc.Part{Title: "Signals by detector", Key: "detectors"}
	if s.Counts.Detected == 0 {
		return p
	}
	scale := 0
	for _, t := range s.Detectors {
		scale = max(scale, t.Detected)
	}
	all := endsOf(s.Counts)
	table := &doc.Table{Columns: []string{"Detector", "Signals by their end", "Heed"}}
	for _, t := range s.Detectors {
		bar := endsOf(t.Counts)
		bar.Scale = scale
		words := make([]string, 0, len(bar.Segments))
		for _, part := range bar.Segments {
			words = append(words, fmt.Sprintf("%d %s", part.Size, part.Words))
		}
		text := strings.Join(words, ", ")
		if t.NotSent != "" {
			text += " (not sent: " + t.NotSent + ")"
		}
		table.Row(name(t), text, heedText(t))
		table.Rows[len(table.Rows)-1][1].Bar = &bar
	}
	p.Add(&doc.Picture{Legend: all.Segments}, table)
	return p
}

func endsOf(c Counts) doc.Bar {
	var b doc.Bar
	b.Add("fired", c.Fired, "fired")
	b.Add("unsent", c.Unsent+c.Queued+c.Pending, "not sent")
	b.Add("logged", c.Logged, "logged")
	b.Add("suppressed", c.Suppressed, "suppressed")
	b.Add("corrected", c.Corrected, "self-corrected")
	b.Add("expired", c.Expired, "expired")
	b.Add("coalesced", c.Coalesced, "coalesced")
	return b
}

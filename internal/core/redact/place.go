package redact

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Place says where each secret's marker stands in the segments: texts[i] is the
// text that offsets into segment i count in (detect.Text). Markers of one value
// are given out in order. What stands in no text gets Segment and Offset -1.
func Place(found []events.SecretFinding, texts []string) []events.SecretFinding {
	type place struct{ segment, offset int }
	places := map[string][]place{}
	for i, text := range texts {
		for _, m := range Markers(text) {
			marker := text[m.Start:m.End]
			places[marker] = append(places[marker], place{i, m.Start})
		}
	}
	out := append([]events.SecretFinding(nil), found...)
	for i := range out {
		f := &out[i]
		marker := secrets.Marker(f.Rule, f.Fingerprint)
		f.Segment, f.Offset = -1, -1
		if left := places[marker]; len(left) > 0 {
			f.Segment, f.Offset = left[0].segment, left[0].offset
			places[marker] = left[1:]
		}
	}
	return out
}

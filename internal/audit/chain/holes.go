package chain

import "slices"

// span is a range of sequences, both included.
type span struct{ first, last uint64 }

// holes are the missing sequences, in order.
type holes struct{ spans []span }

func (h *holes) add(first, last uint64) {
	if first <= last {
		h.spans = append(h.spans, span{first, last})
	}
}

// remove removes a range.
func (h *holes) remove(first, last uint64) {
	at := len(h.spans)
	for at > 0 && h.spans[at-1].last >= first {
		at--
	}
	var kept []span
	for _, s := range h.spans[at:] {
		if s.first < first {
			kept = append(kept, span{s.first, min(s.last, first-1)})
		}
		if s.last > last {
			kept = append(kept, span{max(s.first, last+1), s.last})
		}
	}
	h.spans = append(h.spans[:at], kept...)
}

// through returns the missing range that ends at or contains a sequence, limited to what comes after
// another sequence.
func (h *holes) through(sequence, after uint64) (span, bool) {
	i := slices.IndexFunc(h.spans, func(s span) bool { return s.first <= sequence && sequence <= s.last })
	if i < 0 {
		return span{}, false
	}
	return span{max(h.spans[i].first, after+1), sequence}, true
}

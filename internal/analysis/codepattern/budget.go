package codepattern

// Limits of what is read of one segment. They count bytes and steps, never time, so that a replay reads
// the same.
const (
	maxParsed = 512 << 10 // bytes that are parsed
	maxWork   = 2_000_000 // steps over all pieces
)

// budget is what is left for a segment, and how many places were not looked at.
type budget struct{ bytes, steps, unread int }

// allows reports whether a piece of so many bytes may be read, and takes them.
func (b *budget) allows(bytes int) bool {
	if b.steps <= 0 || b.bytes < bytes {
		return false
	}
	b.bytes -= bytes
	return true
}

// spend takes the steps of an analysis. The places of a piece that needs more than one piece may are
// not looked at to the end.
func (b *budget) spend(a *analysis, p *piece) {
	b.steps -= a.steps
	if a.steps > maxSteps {
		b.unread += len(p.places)
	}
	b.unread += a.dropped
}

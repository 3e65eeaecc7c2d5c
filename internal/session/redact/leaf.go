package redact

import "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"

// leaf is one string to redact.
type leaf struct {
	text  string
	name  string // its key, "" if none
	path  string // file it belongs to
	block int    // index of its block, -1 for none
	// pointer is its place in the block: "text", "output", "input" with the number of the
	// string, …; see the collectors.
	pointer string
	group   string // leaves of one group are joined in order, "" for none
	changed bool
	hits    []hit
	named   []naming // in order of place
}

// naming is a marker at offset at whose value was found under a name of its own.
type naming struct {
	at       int
	variable string
}

// hit is a span of a leaf to replace.
type hit struct {
	start, end  int
	finding     secrets.Finding
	fingerprint string
	own         bool // found here, not only equal to a value found elsewhere
}

// collection holds all leaves of one redaction, in order.
type collection struct {
	leaves []leaf
}

func (c *collection) add(l leaf) int {
	c.leaves = append(c.leaves, l)
	return len(c.leaves) - 1
}

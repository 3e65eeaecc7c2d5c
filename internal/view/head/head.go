// Package head identifies, in reports, the checkpoints that they were derived from (AU-2).
package head

import "fmt"

// Head is a checkpoint: its digest binds everything in its partition up to there.
type Head struct {
	Stream    string `json:"stream"`
	Partition int    `json:"partition"`
	Sequence  uint64 `json:"sequence"`
	Digest    string `json:"digest"` // SHA-256 of the stored checkpoint, hex
}

// String returns the head in the form of an anchor.
func (h Head) String() string {
	return fmt.Sprintf("%s %d %d %s", h.Stream, h.Partition, h.Sequence, h.Digest)
}

// Text returns a report's sentence about its heads, "" without any.
func Text(heads []Head) string {
	text := ""
	for _, h := range heads {
		if text != "" {
			text += " and "
		}
		text += h.String()
	}
	if text == "" {
		return ""
	}
	return "Derived from the record up to the checkpoint " + text + " (stream, partition, sequence, SHA-256)."
}

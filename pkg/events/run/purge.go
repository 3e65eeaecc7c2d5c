package run

import (
	"fmt"
	"strconv"
	"strings"
)

// ContentPurged is the tombstone of a session or run that an operator erased (AU-40). The
// first one announces the purge: each stage forgets the group when it reads it. The
// second one lists what is erased, and is committed before the erasure begins.
type ContentPurged struct {
	By  string `json:"by"`
	Why string `json:"why"`
	// IDs are the sessions and runs that are erased along with it. Readers that keep data
	// about each, such as report files, need no other list.
	IDs []string `json:"ids,omitempty"`
	// Erased is what was removed from each stream; empty in an announcement.
	Erased []Erasure `json:"erased,omitempty"`
}

// Erasure is what a purge removed from one stream.
type Erasure struct {
	Stream   string `json:"stream"`
	Messages int    `json:"messages"`
	Bytes    int64  `json:"bytes"`
	// Sequences are the sequences of the messages, as ranges: "3-7,9".
	Sequences string `json:"sequences"`
	// Digest is SHA-256 (hex) over the hashes of the messages, in order.
	Digest string `json:"digest"`
}

// Sequences returns sorted sequences as ranges.
func Sequences(sorted []uint64) string {
	var b strings.Builder
	for i := 0; i < len(sorted); {
		end := i
		for end+1 < len(sorted) && sorted[end+1] == sorted[end]+1 {
			end++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatUint(sorted[i], 10))
		if end > i {
			b.WriteString("-" + strconv.FormatUint(sorted[end], 10))
		}
		i = end + 1
	}
	return b.String()
}

// Ranges returns the ranges of the sequences, both ends included.
func (e Erasure) Ranges() (ranges [][2]uint64, err error) {
	if e.Sequences == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(e.Sequences, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.ParseUint(from, 10, 64)
		last, err2 := strconv.ParseUint(to, 10, 64)
		if err1 != nil || err2 != nil || first > last {
			return nil, fmt.Errorf("%q is not a range of sequences", part)
		}
		ranges = append(ranges, [2]uint64{first, last})
	}
	return ranges, nil
}

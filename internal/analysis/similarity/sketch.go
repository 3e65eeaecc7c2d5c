// Package similarity compares names and code: identifiers split into words
// with synonyms, and bottom-k sketches of 4-token shingles (detectors A1, A3,
// C2). "Overlap" in the specification is containment, not Jaccard.
package similarity

import (
	"slices"

	"github.com/cespare/xxhash/v2"
)

// ShingleTokens is the number of tokens in a shingle.
const ShingleTokens = 4

// Precision is the precision of the hashes in a sketch: the low eight bits are zero, so
// that a sketch is stored in three bytes per value.
const Precision = 0xFFFFFF00

// Sketch returns the bottom-k sketch of text's shingles: the k smallest of their hashes,
// ascending, each once. A token is a run of letters, digits and underscores; text with
// fewer than four tokens is one shingle, and text without tokens has no sketch.
func Sketch(text string, k int) []uint32 {
	shingles, _ := SketchCode(text, k, 0)
	return shingles
}

// SketchCode returns [Sketch] and the sketch of the names that code calls, which precede
// an opening parenthesis: "save" in "db.save(x)".
func SketchCode(code string, k, calls int) (shingles, called []uint32) {
	if k <= 0 {
		return nil, nil
	}
	s := bottom{k: k, kept: make([]uint32, 0, min(k, len(code)/ShingleTokens+1))}
	c := bottom{k: calls}
	eachShingle(code, s.add, func(name uint64) { c.add(fold(name)) })
	if len(s.kept) == 0 {
		return nil, c.kept
	}
	return s.kept, c.kept
}

// SketchOf returns the bottom-k sketch of a set of words, such as the stems of a
// sentence.
func SketchOf(words []string, k int) []uint32 {
	b := bottom{k: k}
	for _, w := range words {
		b.add(fold(xxhash.Sum64String(w)))
	}
	return b.kept
}

// Truncate reduces a sketch to a smaller k; it shares memory with sketch.
func Truncate(sketch []uint32, k int) []uint32 {
	return sketch[:min(len(sketch), k):min(len(sketch), k)]
}

// eachShingle calls add with the hash of every run of ShingleTokens tokens, and called
// with that of every token before an opening parenthesis.
func eachShingle(text string, add func(uint32), called func(uint64)) {
	var window [ShingleTokens]uint64
	n := 0
	for at := 0; at < len(text); {
		if !wordByte[text[at]] {
			at++
			continue
		}
		from := at
		for at < len(text) && wordByte[text[at]] {
			at++
		}
		copy(window[:], window[1:])
		window[ShingleTokens-1] = xxhash.Sum64String(text[from:at])
		if n++; n >= ShingleTokens {
			add(mix(window))
		}
		if at < len(text) && text[at] == '(' {
			called(window[ShingleTokens-1])
		}
	}
	if n > 0 && n < ShingleTokens {
		add(mix(window))
	}
}

func mix(window [ShingleTokens]uint64) uint32 {
	const prime = 0x9E3779B185EBCA87
	h := uint64(0)
	for _, token := range window {
		h = (h ^ token) * prime
		h ^= h >> 29
	}
	return fold(h)
}

func fold(h uint64) uint32 { return uint32(h^h>>32) & Precision }

var wordByte = func() (table [256]bool) {
	for i := range table {
		c := byte(i)
		table[i] = c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
	}
	return table
}()

// bottom keeps the k smallest distinct values, ascending.
type bottom struct {
	k    int
	kept []uint32
}

func (b *bottom) add(h uint32) {
	full := len(b.kept) >= b.k
	if full && (b.k <= 0 || h >= b.kept[len(b.kept)-1]) {
		return
	}
	at, dup := slices.BinarySearch(b.kept, h)
	if dup {
		return
	}
	if full {
		b.kept = b.kept[:b.k-1]
	}
	b.kept = slices.Insert(b.kept, at, h)
}

// Overlap compares two sets by their sketches.
type Overlap struct {
	// Contained is the share of a that is in b (0–1), Containing that of b in a.
	Contained, Containing float64
	// Jaccard is the share of common elements in the union.
	Jaccard float64
	// Sample is the number of a's shingles that the estimate is based on; below about 8
	// it is coarse.
	Sample int
}

// Compare estimates the overlap of two sets from their bottom-k sketches; both are read
// as sketches of size k (the smaller of the sizes they were created with). A sketch
// shorter than k contains its whole set, so the result for two short ones is exact.
func Compare(a, b []uint32, k int) Overlap {
	a, b = Truncate(a, k), Truncate(b, k)
	// Below this hash both sketches are complete.
	horizon := ^uint32(0)
	for _, s := range [][]uint32{a, b} {
		if len(s) >= k && k > 0 {
			horizon = min(horizon, s[len(s)-1])
		}
	}
	inA, inB, both := 0, 0, 0
	for i, j := 0, 0; ; {
		moreA, moreB := i < len(a) && a[i] <= horizon, j < len(b) && b[j] <= horizon
		if !moreA && !moreB {
			break
		}
		switch {
		case moreA && moreB && a[i] == b[j]:
			inA, inB, both, i, j = inA+1, inB+1, both+1, i+1, j+1
		case !moreB || moreA && a[i] < b[j]:
			inA, i = inA+1, i+1
		default:
			inB, j = inB+1, j+1
		}
	}
	return Overlap{
		Contained: share(both, inA), Containing: share(both, inB),
		Jaccard: share(both, inA+inB-both), Sample: inA,
	}
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Package similarity compares names and code: identifiers split into words
// with synonyms, and bottom-k sketches of 4-token shingles (detectors A1, A3,
// C2). "Overlap" in the specification is containment, not Jaccard.
package similarity

// Package prose parses prose written by an agent or a person: paragraphs folded to one
// line, sentences, word stems, and phrases that are searched for outside code and quotes
// (SW-13, SW-14, SW-20).
//
// [Parse] folds a text once; everything else works on the [Document] and maps offsets
// back to the original text with [Document.Source].
package prose

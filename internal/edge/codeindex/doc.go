// Package codeindex makes the index of a codebase that session.opened carries
// (SW-10): which files there are, which symbols they declare, on what they depend.
//
// It reads a folder file by file with two workers and bounded memory: however
// large the tree, at most twice the registry's limit of symbols is held at once.
// What does not fit is left out by rank, public and much imported symbols last,
// and counted. The same tree gives the same bytes.
package codeindex

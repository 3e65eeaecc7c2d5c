// Package codeindex builds the index of a codebase that session.opened carries (SW-10): which files it has,
// which symbols they declare, and what they depend on.
//
// It reads a folder file by file with two workers and bounded memory: however large the tree, it holds at
// most twice the registry's limit of symbols at once. What does not fit is dropped by rank, with public and
// frequently imported symbols kept longest, and counted. The same tree gives the same bytes.
package codeindex

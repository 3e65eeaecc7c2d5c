// Package workspace reads .scaffoldwatch.yaml, the file in which a repository states what applies to it:
// conventions, constraints, rules of its own, its index (A2, SW-14; docs/workspace-file.md).
//
// The folder comes from a transcript, so nothing outside of it is read because the file says so.
package workspace

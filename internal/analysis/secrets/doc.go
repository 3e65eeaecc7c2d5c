// Package secrets finds credentials in text (B1, SW-7).
//
// Three readers scan the text together: the provider patterns of gitleaks, connection strings with
// a password, and literals assigned to a credential-like name. A table of the first three bytes of
// every keyword says where to look; regular expressions run only on the few hundred bytes after
// such a place, because running them over whole texts is about ten times slower.
//
// A [Scanner] is read-only after [New] and may be shared by goroutines. What it
// finds is a function of text and path alone.
package secrets

// Package alone is the guard of a hook to which no system answers (GD-20): it judges a tool call
// from Git's state with the same code, keeps a snapshot, and puts what it decided into a spool that
// the system takes in when it runs again.
//
// A hook is a process of its own at each call. What the next one needs is in a small file of the
// session: hashes of the files that were changed before it and of those it wrote, no text (SW-7).
package alone

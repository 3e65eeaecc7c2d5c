// Package alone is the guard of a hook while no system is running (GD-20): it judges a tool call from Git's
// state with the same code, keeps a snapshot, and puts its decisions into a spool that the system takes
// over when it runs again.
//
// A hook is a new process for each call. What the next one needs is kept in a small file per session:
// hashes of the files that were changed before the session and of those that it wrote, no text (SW-7).
package alone

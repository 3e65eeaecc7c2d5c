// Package strangers plays sessions and runs in which a repository, a tool or an agent wrote
// something that wants to be taken for ours, and checks every channel to an agent or a person
// for it: what is not ours is quoted there, on one line, without markup (DP-20).
package strangers

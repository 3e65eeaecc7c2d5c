// Package observe inspects a workspace instead of guessing (JD-20): whether files that an agent mentions
// exist, what Git reports about them, about the last commit and about unpushed commits, and whether a
// settings file has a key. It runs nothing of the project, writes nothing, and gives up on what it cannot
// determine in time.
package observe

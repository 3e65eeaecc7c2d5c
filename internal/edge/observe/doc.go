// Package observe looks at a workspace instead of guessing (JD-20): whether files that an agent speaks of
// exist, what Git says of them, of the last commit and of what was not pushed, and whether a file of
// settings has a key. It runs nothing of the project, writes nothing, and gives up what it has not
// learned in time.
package observe

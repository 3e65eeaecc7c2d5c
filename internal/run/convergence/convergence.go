// Package convergence compares the findings of cycles (RW-30, RW-31).
package convergence

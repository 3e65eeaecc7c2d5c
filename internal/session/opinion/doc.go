// Package opinion is the pure part of the advisor: what a model is asked (AD-2, AD-3), whether its
// answer counts (AD-7), and what becomes of what it found. It knows no model, clock or network.
package opinion

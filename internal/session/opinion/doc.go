// Package opinion is the pure part of the advisor: which questions are asked (AD-2,
// AD-3), whether an answer counts (AD-7), and how findings are used. It uses no model,
// clock or network.
package opinion

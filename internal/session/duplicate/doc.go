// Package duplicate measures whether new code repeats existing code (A1, A3, C2):
// [Measure.Candidates] finds earlier symbols by the words of a name, [Measure.Compare]
// measures the [Overlap] of two, and [Measure.Conventional] recognizes names that repeat
// by convention.
//
// No function here walks a whole session: candidates come from the registry's indexes and
// their number is bounded.
package duplicate

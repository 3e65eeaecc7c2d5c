// Package duplicate measures whether new code repeats existing code (A1, A3, C2):
// [Measure.Candidates] finds earlier symbols by the words of a name, [Measure.Compare]
// measures the [Overlap] of two, [Conventions] recognizes names that repeat by convention,
// and [Layout] places whose files are alike by design.
//
// No function here walks a whole session: candidates come from the registry's indexes and
// their number is bounded.
package duplicate

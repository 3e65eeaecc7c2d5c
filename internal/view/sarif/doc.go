// Package sarif writes what reports found in files as SARIF 2.1.0, for code
// scanning (DP-31). Findings without a file are left out, and so is what no
// longer stands in the code: self-corrected or after a heeded interrupt. The
// same reports give the same bytes.
package sarif

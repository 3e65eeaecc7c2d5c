// Package sarif writes what reports found in files as SARIF 2.1.0, for code
// scanning (DP-31). Findings without a file are left out, and so are those no longer
// in the code: self-corrected, or fixed after a heeded interrupt. The same reports
// give the same bytes.
package sarif

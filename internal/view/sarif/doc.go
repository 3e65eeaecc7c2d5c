// Package sarif writes findings in files as SARIF 2.1.0, for code scanning (DP-31). It leaves out findings
// without a file, and those no longer in the code: self-corrected, or fixed after a heeded interrupt. The
// same reports give the same bytes.
package sarif

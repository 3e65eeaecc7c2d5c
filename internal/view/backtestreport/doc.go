// Package backtestreport renders what other rules would have decided: for a terminal,
// as Markdown, JSON and HTML (AU-20, AU-21). Package internal/audit/backtest builds the
// model.
package backtestreport

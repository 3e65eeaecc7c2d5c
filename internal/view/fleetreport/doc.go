// Package fleetreport builds the report over many sessions and days: what was watched,
// what was found, what was said and whether it was heeded, by day, by detector
// and by kind of agent. [Model] is its data; Markdown, JSON, HTML and text for a
// terminal are rendered from it. The same model gives the same bytes. Names come
// from publishers, so each renderer escapes them for its own format.
package fleetreport

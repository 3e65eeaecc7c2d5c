// Package page holds what all reports share: escaping of untrusted text for terminals, Markdown and HTML,
// plurals, wrapping, and the frame and style of the HTML pages.
package page

// Package page is what all reports share: untrusted text made safe for terminals,
// Markdown and HTML, plurals, wrapping, and the frame and style of the HTML pages.
package page

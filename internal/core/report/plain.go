package report

// Plain is untrusted text on one line without control and invisible format
// characters, for other reports of this kind.
func Plain(text string) string { return plain(text) }

// Inline makes untrusted text stand as it is within a line of Markdown.
func Inline(text string) string { return inline(text) }

package sessionreport

// Plain is untrusted text on one line without control and invisible format
// characters, for other reports of this kind.
func Plain(text string) string { return plain(text) }

// Inline makes untrusted text stand as it is within a line of Markdown.
func Inline(text string) string { return inline(text) }

// Item makes untrusted text stand as it is where it begins an item of a list.
func Item(text string) string { return item(text) }

// Wrap breaks text at spaces into lines of at most width characters (0 or less:
// one line).
func Wrap(text string, width int) []string { return wrap(text, width) }

// Package quote inserts foreign text into ours (DP-20): paths, names, commands, errors,
// conventions, and anything else from an agent, a repository or a tool.
//
// Its functions return one line of at most [Limit] characters without control,
// bidirectional and invisible characters, terminal sequences and markup. Text that could
// be read as a sentence is put between quotation marks or backticks, and contains neither
// of them, so that foreign text cannot be read as our instruction. They are applied where
// a foreign value enters a text; [Line] is a second safeguard, for complete messages
// where they leave.
package quote

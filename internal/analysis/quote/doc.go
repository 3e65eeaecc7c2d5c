// Package quote writes what others wrote into texts of ours (DP-20): paths, names,
// commands, errors, conventions, whatever came from an agent, a repository or a tool.
//
// Its functions return one line of at most [Limit] characters without control, bidirectional
// and invisible characters, terminal sequences and markup. What a reader could take for a
// sentence is between quotation marks or backticks, and holds neither of them, so that nothing
// foreign reads as an instruction of ours. They are applied where a foreign value enters a text;
// [Line] is the second fence, for whole messages where they leave.
package quote

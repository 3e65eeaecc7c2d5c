// Package intent is the intent part of the pipeline layer (PL-30 … PL-39): does
// the agent build what was meant? It calls no model and runs no agent; it reads
// the ticket, the agent's checkpoint, the council and the operator's answers.
//
// The layer is on in a run of kind pipeline and from the first ticket,
// checkpoint, assumption, council, answer or assembled context; other runs cost
// it nothing. The ladder of PL-33 in order:
//
//	ticket.received     pre-flight; two failures: Subtype A, the operator is asked at once
//	intent.checkpoint   level = max(what the agent says, what the structure says)
//	                    clear: go on; ambiguous words and nothing to choose from: ask;
//	                    else a council is due
//	council.completed   clear: go on; else winner, question with default, or pause
//	answer or default   what was meant goes to the agent as a steer
//
// The rules and their order are the list in rules.go. Findings are warnings and
// violations with the codes of codes.go.
package intent

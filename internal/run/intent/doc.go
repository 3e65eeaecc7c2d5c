// Package intent is the intent part of the pipeline layer (PL-30 … PL-39): does
// the agent build what was meant? It calls no model and runs no agent; it reads
// the ticket, the agent's checkpoint, the council and the operator's answers.
//
// The layer is on in a run of kind pipeline and from the first ticket,
// checkpoint, assumption, council, answer or assembled context; it does nothing
// for other runs. The ladder of PL-33 in order:
//
//	ticket.received     pre-flight; two failures: Subtype A, the operator is asked at once
//	intent.checkpoint   level = max(the agent's report, the structural signals)
//	                    clear: continue; ambiguous words and nothing to choose from: ask;
//	                    otherwise a council is due
//	council.completed   clear: continue; otherwise winner, question with default, or pause
//	answer or default   the clarified intent is sent to the agent as a steer
//
// The rules and their order are the list in rules.go. Findings are warnings and
// violations with the codes of codes.go.
package intent

// Package ambiguity reads a ticket as written and reports, without a model, which words
// are ambiguous (PL-31) and which of five checks the ticket fails before work on it
// begins (PL-30). The words are data: rules/ambiguity.yaml. The same ticket gives the
// same answer, in a time that depends only on its length.
//
// Word signals are counted once per kind in each sentence that states the goal or a
// criterion: the title, the acceptance criteria, and those sentences of the text that ask
// for something. Background sentences are not counted.
//
// The figures below were measured on testdata/sentences.txt, which was labelled by hand.
// No word was added for the held half, but the same author wrote tables and sentences and
// there are few of each kind. "other" are 120 sentences and 40 tickets by an author who
// had not read the tables. On their first run precision and recall were: weak modal 100%
// and 89%, vague quantifier 100% and 77%, agentless passive 89% and 47%, undefined
// pronoun 100% and 75%, tickets 100% and 75%. The tables were fixed after that with these
// sentences in view, so the figures of "other" below are in-sample: expect those of the
// first run on tickets by other people. In German, only modals, quantifiers and headings
// are recognized. `go test -run TestPrecision -update` rewrites the figures.
//
// figures begin
//
//	signal             half     precision         recall
//	weak modal         tune     100% (8 of 8)  100% (8 of 8)
//	weak modal         held      88% (7 of 8)  100% (7 of 7)
//	weak modal         other    100% (19 of 19)  100% (19 of 19)
//	vague quantifier   tune     100% (9 of 9)  100% (9 of 9)
//	vague quantifier   held      90% (9 of 10)  100% (9 of 9)
//	vague quantifier   other    100% (22 of 22)  100% (22 of 22)
//	agentless passive  tune     100% (7 of 7)  100% (7 of 7)
//	agentless passive  held      88% (7 of 8)  100% (7 of 7)
//	agentless passive  other     92% (11 of 12)   65% (11 of 17)
//	undefined pronoun  tune     100% (5 of 5)  100% (5 of 5)
//	undefined pronoun  held     100% (4 of 4)   80% (4 of 5)
//	undefined pronoun  other    100% (10 of 10)   83% (10 of 12)
//	compound           tune     100% (3 of 3)  100% (3 of 3)
//	compound           held     100% (3 of 3)  100% (3 of 3)
//	two checks fail    tickets  100% (17 of 17)   85% (17 of 20)
//
// figures end
//
// What it cannot detect: a clear sentence with two meanings ("delete the record"), and a
// pronoun that may refer to two things. The samples of an agent's own readings (PL-31,
// entropy) cover those.
package ambiguity

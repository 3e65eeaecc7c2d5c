// Package ralph reads the plain log of a loop that runs an agent again and again
// (a "Ralph" loop): where an iteration begins, what was written in it and how it
// ended. Each iteration is an agent.completed of one run, so that three failures
// in a row break it (RW-30); what an iteration wrote as a transcript becomes a
// session of the run.
//
// There is no format, only habits; they are data (rules/loops.yaml). A text is
// taken for such a log only where its iterations count up in one style of banner
// and something beside the banners says that an agent ran there.
package ralph

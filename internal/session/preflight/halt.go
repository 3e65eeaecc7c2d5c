package preflight

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
)

// halt answers a call of a halted session or run (RW-33). Only the control state decides; an
// unknown state does not halt (EV-8).
func (c *Checker) halt(call *Call) Answer {
	mode := c.config.Classes.Halt
	if mode == ModeOff || !slices.Contains(c.config.HaltStates, call.State) {
		return allowed("")
	}
	why := budget.Wording(call.Halt, haltWords)
	text := "This session is " + string(call.State) + "; no tool runs until a person resumes it. End your turn."
	if why != "" {
		text += " Why: " + why
	}
	return Answer{
		Decision: mode.decision(), Class: ClassHalt, Rule: "RW-33",
		Text: c.worded(text), Reason: "The control state is " + string(call.State) + ".",
	}
}

// haltWords bounds the reason of a halt, so that the text stays within 40 words.
const haltWords = 24

// worded returns a text within the word limit of an interrupt (DP-20).
func (c *Checker) worded(text string) string {
	return budget.Wording(text, c.dispatch.Interrupt.MaxWords)
}

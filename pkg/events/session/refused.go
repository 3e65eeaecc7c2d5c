package session

// InputRefused reports an event of INPUT that was refused at the door: nothing watches what it
// says (DP-33). Its subject is the session or run that the refused event is about. Its texts are
// redacted (SW-7).
type InputRefused struct {
	Session     string `json:"session,omitempty"` // empty: it said something about the run
	Run         string `json:"run,omitempty"`
	Event       string `json:"event,omitempty"` // id of the refused event; empty: it has none
	EventType   string `json:"event_type"`      // as the publisher wrote it
	EventSource string `json:"event_source,omitempty"`
	Code        string `json:"code"`   // e.g. missing_field; package invalid lists them
	Reason      string `json:"reason"` // the field, what is wrong with it, and the cure
}

// RunEvent reports whether the refused event said something about a run.
func (d *InputRefused) RunEvent() bool { return d.Session == "" }

// Turn reports whether the refused event held a turn or a piece of one, so that a turn of the
// session is not watched.
func (d *InputRefused) Turn() bool {
	return d.EventType == TypeTurnRaw || d.EventType == TypeHookReceived
}

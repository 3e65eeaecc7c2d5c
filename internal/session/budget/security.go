package budget

// fireSecurity says all security escalations of the turn in one interrupt, at
// once: no grace turn, no cooldown, whatever the budget (DP-3, DP-13).
func fireSecurity(w *work) {
	if len(w.security) == 0 {
		return
	}
	lead := w.security[0]
	w.fire(utterance{
		signals: w.security, urgency: w.config.score(lead, false), label: escalationLabel(lead),
		charged: true, evidence: evidenceOf(w.security...),
	})
	for _, s := range w.security {
		w.joinSameCause(s)
	}
}

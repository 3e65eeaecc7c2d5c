package budget

// fireSecurity sends all security escalations of the turn in one interrupt, at once:
// without grace turn, cooldown or budget limit (DP-3, DP-13).
func fireSecurity(w *work) {
	if len(w.security) == 0 {
		return
	}
	lead := w.security[0]
	speech{w}.fire(utterance{
		signals: w.security, urgency: w.config.score(lead, false), label: escalationLabel(lead),
		charged: true, evidence: evidenceOf(w.security...),
	})
	for _, s := range w.security {
		speech{w}.joinSameCause(s)
	}
}

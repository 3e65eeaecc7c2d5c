package obs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// AdvisorMetrics counts the questions to a model and their cost (AD-5).
type AdvisorMetrics struct {
	questions counters
	skipped   counters
	tokens    counters
	cost      prometheus.Counter
	seconds   prometheus.Histogram
}

// Outcomes of a question to a model.
const (
	AdvisorVoid     = "void"
	AdvisorFailed   = "failed"
	AdvisorFindings = "findings"
	AdvisorNothing  = "nothing"
)

// NewAdvisorMetrics registers the metrics; reasons are those for not asking a question, paused reports
// whether questions are suspended after too many failures.
func NewAdvisorMetrics(r prometheus.Registerer, reasons []string, paused func() bool) *AdvisorMetrics {
	m := &AdvisorMetrics{
		questions: newCounters(
			r, prometheus.CounterOpts{Name: "scaffoldwatch_advisor_questions_total", Help: "Questions to a model, by kind and outcome."},
			NewLabel("kind", sessionevents.QuestionSignal, sessionevents.QuestionDigest),
			NewLabel("outcome", string(sessionevents.OpinionConfirmed), string(sessionevents.OpinionRefuted), string(sessionevents.OpinionUnsure), AdvisorVoid, AdvisorFailed, AdvisorFindings, AdvisorNothing),
		),
		skipped: newCounters(
			r, prometheus.CounterOpts{Name: "scaffoldwatch_advisor_skipped_total", Help: "Questions that were due but not asked, by reason."}, NewLabel("reason", reasons...),
		),
		tokens: newCounters(
			r, prometheus.CounterOpts{Name: "scaffoldwatch_advisor_tokens_total", Help: "Tokens of questions and answers, by direction."}, NewLabel("direction", "in", "out", "cached"),
		),
		cost: prometheus.NewCounter(prometheus.CounterOpts{Name: "scaffoldwatch_advisor_cost_dollars_total", Help: "Cost of the questions by the price table, in US dollars."}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "scaffoldwatch_advisor_seconds", Help: "Time of one question.", Buckets: prometheus.ExponentialBuckets(0.05, 2, 12),
		}),
	}
	gauge := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "scaffoldwatch_advisor_paused", Help: "1 while no model is asked because too many questions in a row failed."}, func() float64 {
		if paused() {
			return 1
		}
		return 0
	})
	r.MustRegister(m.cost, m.seconds, gauge)
	return m
}

// Asked counts one question with its answer.
func (m *AdvisorMetrics) Asked(o *sessionevents.OpinionRecorded, took time.Duration) {
	outcome := string(o.Verdict)
	switch {
	case o.Void != "":
		outcome = AdvisorVoid
	case o.Kind == sessionevents.QuestionDigest && len(o.Findings) > 0:
		outcome = AdvisorFindings
	case o.Kind == sessionevents.QuestionDigest:
		outcome = AdvisorNothing
	}
	m.questions.inc(string(o.Kind), outcome)
	m.tokens.add(o.Tokens.In, "in")
	m.tokens.add(o.Tokens.Out, "out")
	m.tokens.add(o.Tokens.Cached, "cached")
	m.cost.Add(float64(max(0, o.Cost)) / float64(sessionevents.DollarMicros))
	m.seconds.Observe(took.Seconds())
}

// Failed counts a question that was not answered.
func (m *AdvisorMetrics) Failed(kind sessionevents.QuestionKind) {
	m.questions.inc(string(kind), AdvisorFailed)
}

// Skipped counts a question that was due but not asked.
func (m *AdvisorMetrics) Skipped(reason string) { m.skipped.inc(reason) }

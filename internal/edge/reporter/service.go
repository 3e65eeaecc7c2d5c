package reporter

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/reporter/notifier"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Name is the service's name.
const Name = keep.Reporter

// Service is the reporter together with the notifications, which run independently: neither delays the
// other.
var Service = With(Page{})

// Page configures what the page of the service can do beyond showing what was decided.
type Page struct {
	Answers *Answers // nil means those of the configuration; without any, the page shows commands
	Said    bool     // it may read SEGMENTS, and so show what was said in a session
}

// With returns the service with such a page.
func With(page Page) service.Service {
	return service.Service{
		Address: "127.0.0.1:8423", Name: Name, Does: "lists, reports and the live feed over HTTP, from DECISIONS",
		Reads: []string{string(events.StreamDecisions)},
		Build: func(p *service.Process) ([]service.Part, error) { return build(p, page) },
		Commands: map[string]service.Command{"rebuild": {
			Usage: "[--config FILE] …  empties the read model (reports.database) and fills it from DECISIONS",
			Run:   rebuild,
		}},
	}
}

// footOf returns the note on where data goes (CO-25).
func footOf(c config.Config) string {
	var out []string
	if c.Advisor.Configured() {
		out = append(out, "questions to the model of advisor.provider")
	}
	if c.Notify.File != "" {
		out = append(out, "the notices of "+c.Notify.File)
	}
	if len(out) == 0 {
		return "No model is asked, and nothing leaves this machine."
	}
	return "What leaves this machine: " + strings.Join(out, " and ") + "."
}

func build(p *service.Process, page Page) ([]service.Part, error) {
	reading, err := decisions.NewReading(p.Rules, p.Key)
	if err != nil {
		return nil, err
	}
	titles, err := decisions.DetectorTitles(p.Rules)
	if err != nil {
		return nil, err
	}
	r := newReporter(p.Config.Reports, reading, titles, p.Log)
	v := r.views
	v.said, v.foot = page.Said, footOf(p.Config)
	if v.answers = page.Answers; v.answers == nil {
		if v.answers, err = byPeople(p.Config); err != nil {
			return nil, err
		}
	}
	if v.debt, err = debtOf(p.Rules); err != nil {
		return nil, err
	}
	if v.rules, err = rulesOf(p); err != nil {
		return nil, err
	}
	obs.NewInterruptMetrics(p.Metrics, obs.Detectors(p.Rules), r.totals)
	parts := []service.Part{{Routes: r.routes(), Run: func(ctx context.Context, broker *nats.Broker) error {
		return r.run(ctx, broker, func(err error) { p.Report(Name, err) })
	}}, {Run: func(ctx context.Context, broker *nats.Broker) error {
		p.Beat(ctx, broker, Name)
		return nil
	}}}
	anchors, wanted, err := anchoring(p)
	if err != nil {
		return nil, err
	}
	if wanted {
		parts = append(parts, anchors)
	}
	if p.Config.Notify.File == "" {
		return parts, nil
	}
	p.AlsoWrites(vitals.InputWrite(events.ClassNotification))
	notices, err := notifier.New(p)
	return append(parts, notices), err
}

// webhookPatience limits how long the anchors' webhook may take.
const webhookPatience = 10 * time.Second

// anchoring returns the part that writes anchors; ok is false if none are configured or no key is set to
// sign them.
func anchoring(p *service.Process) (part service.Part, ok bool, err error) {
	settings := p.Config.Audit
	if settings.AnchorEvery == 0 || settings.Anchors == "" && settings.AnchorWebhook == "" && settings.AnchorGit == "" {
		return part, false, nil
	}
	keys, err := link.Keys(p.Config.Security)
	if err != nil {
		return part, false, err
	}
	if keys.Own == nil {
		p.Log.Info("no anchors are written: security.signing_seed, which signs them, is not set")
		return part, false, nil
	}
	signer, err := chain.Signer(keys.Own)
	if err != nil {
		return part, false, fmt.Errorf("sign anchors: %w", err)
	}
	a := &anchors{settings: settings, signer: signer, log: p.Log, client: &http.Client{Timeout: webhookPatience}, failures: obs.AnchorFailures(p.Metrics)}
	return service.Part{Run: a.run}, true, nil
}

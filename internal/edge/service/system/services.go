package system

import (
	"context"
	"slices"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor/model"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/reporter"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/dispatcher"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/evaluator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/ingest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/erase"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	intake "github.com/scaffoldwatch/scaffoldwatch/internal/machines/ingest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
)

// Services returns the services with the given names, or all four, for one process: they share what is
// expensive to build. Unknown names are ignored.
func Services(names ...string) []service.Service { return servicesWith(reporter.Page{}, names...) }

// servicesWith returns the services with such a page.
func servicesWith(page reporter.Page, names ...string) []service.Service {
	one := &shared{}
	all := []service.Service{
		ingest.With(func(p *service.Process) (intake.Parts, error) {
			c, err := one.core(p)
			if err != nil {
				return intake.Parts{}, err
			}
			return intake.Parts{Machine: c.Ingest, Redactor: c.Redactor, Preflight: c.Preflight}, nil
		}),
		evaluator.With(func(p *service.Process) (*evaluate.Machine, error) {
			c, err := one.core(p)
			if err != nil {
				return nil, err
			}
			return c.Evaluate, nil
		}),
		dispatcher.Service,
		reporter.With(page),
		Advisor(),
	}
	if len(names) == 0 {
		return all[:len(all)-1] // the advisor runs only if a model is configured
	}
	return slices.DeleteFunc(all, func(s service.Service) bool { return !slices.Contains(names, s.Name) })
}

// Advisor returns the service that asks a model for second opinions (AD-1).
func Advisor() service.Service { return advisor.With(model.Light) }

// configured returns the services of a process that runs all of them.
func configured(c config.Config, answers *reporter.Answers) []service.Service {
	list := append(servicesWith(reporter.Page{Answers: answers, Said: true}), purges)
	if c.Advisor.Configured() {
		list = append(list, Advisor())
	}
	return list
}

// shared builds the machines of a process once.
type shared struct {
	once  sync.Once
	built *machines.Core
	err   error
}

func (m *shared) core(p *service.Process) (*machines.Core, error) {
	m.once.Do(func() {
		m.built, m.err = machines.New(p.Deployment())
	})
	return m.built, m.err
}

// purges finishes, once, purges that were killed (AU-40): this process holds the broker, so it may remove
// messages. On a broker of its own no service may; there `purge` is run again.
var purges = service.Service{
	Name: "purges", Does: "finishes purges that were interrupted",
	Build: func(p *service.Process) ([]service.Part, error) {
		return []service.Part{{Run: func(ctx context.Context, broker *nats.Broker) error {
			finishPurges(ctx, p, broker)
			return nil
		}}}, nil
	},
}

func finishPurges(ctx context.Context, p *service.Process, broker *nats.Broker) {
	ctx, done := context.WithCancel(ctx)
	defer done()
	keep.Retry(ctx, func() (bool, error) {
		err := erase.Finish(ctx, broker, func(group string, messages int) {
			p.Log.Warn("finished a purge that was interrupted", "of", group, "messages", messages)
		})
		if err == nil {
			done()
		}
		return false, err
	}, func(err error) { p.Log.Warn("a purge that was interrupted is not finished, retrying", "error", err) })
}

package transcript

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/githook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/transcripts"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

const (
	repoPause    = time.Second // interval between inspections of the repository
	repoPatience = 5 * time.Second
)

// plans are the runs of the plan documents being followed, in the order in which they were read.
type plans struct {
	sync.Mutex
	runs []string
}

// note records the run that a plan's first event opens.
func (p *plans) note(e events.Event) {
	data, is := e.Data.(*runevents.RunStarted)
	if !is || data.Actor.ID != runevents.PlanDocument {
		return
	}
	p.Lock()
	defer p.Unlock()
	if !slices.Contains(p.runs, e.Subject) {
		p.runs = append(p.runs, e.Subject)
	}
}

// of returns the run that works in a repository: the only plan, or the one that branches are named after;
// "" if it is not known yet.
func (p *plans) of(slugs []string) (run string, several bool) {
	p.Lock()
	defer p.Unlock()
	if len(p.runs) == 1 {
		return p.runs[0], false
	}
	for _, run := range p.runs {
		if slices.Contains(slugs, run) {
			return run, false
		}
	}
	return "", len(p.runs) > 1
}

// watchRepo publishes the facts of a repository while plans are followed (IN-10), until stop is called.
// Facts require the infrastructure's credential.
func (c *Publish) watchRepo(r *cli.Call, following *transcripts.Following) (stop func(), err error) {
	settings, err := c.Settings(r)
	if err != nil {
		return nil, err
	}
	if _, err := githook.Open(r, c.Repo); err != nil {
		return nil, cli.Usage(err)
	}
	seen, take := &plans{}, following.Take
	following.Take = func(e events.Event) error {
		seen.note(e)
		return take(e)
	}
	ctx, cancel := context.WithCancel(r)
	var done sync.WaitGroup
	done.Go(func() {
		w := &repoWatch{c: c, r: r, settings: settings, plans: seen}
		for ctx.Err() == nil {
			w.say(w.look(ctx))
			select {
			case <-ctx.Done():
			case <-time.After(repoPause):
			}
		}
	})
	return func() { cancel(); done.Wait() }, nil
}

// repoWatch watches one repository.
type repoWatch struct {
	c        *Publish
	r        *cli.Call
	settings config.Config
	plans    *plans
	watcher  *githook.Watcher
	said     string
	hooked   bool
}

// errSeveral is returned if it is unclear which run works in the repository.
var errSeveral = errors.New("several plans are followed: name the one that works in --repo with --run, or name branches saw/<slug>/…")

// look publishes the facts since the last call.
func (w *repoWatch) look(ctx context.Context) error {
	if w.hooked {
		return nil
	}
	if w.watcher == nil {
		run := w.c.InRun
		if run == "" {
			slugs, err := githook.Slugs(ctx, w.c.Repo)
			if err != nil {
				return err
			}
			several := false
			if run, several = w.plans.of(slugs); several {
				return errSeveral
			}
		}
		if run == "" {
			return nil // no plan has been read yet
		}
		watcher, err := githook.Watch(ctx, w.c.Repo, run)
		if err != nil {
			w.hooked = errors.Is(err, githook.ErrHooked)
			return err
		}
		w.watcher = watcher
	}
	facts, err := w.watcher.Look(ctx)
	waiting, problem := githook.SendFacts(ctx, w.settings, w.watcher.Spool(), facts, repoPatience)
	if problem != nil {
		return fmt.Errorf("%w (facts require the infrastructure's user, nats.user)", problem)
	}
	if waiting > 0 {
		return fmt.Errorf("the broker cannot be reached; %s kept", text.Count(waiting, "fact"))
	}
	return err
}

// say prints an error, once.
func (w *repoWatch) say(err error) {
	if err == nil || errors.Is(err, context.Canceled) || err.Error() == w.said {
		return
	}
	w.said = err.Error()
	fmt.Fprintf(w.r.Stderr, "scaffoldwatch: %s: %v\n", w.c.Repo, err)
}

package reporter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/console"
	prevention "github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// answering is an answer in progress: who gives it, and where it is decided.
type answering struct {
	*views
	console.Answer
	broker *nats.Broker
	by     string
	nc     *nats.Conn // with the operator's permissions, while the answer is in progress
}

// deeds maps each act to its implementation.
var deeds = map[string]func(*answering, context.Context) error{
	console.ActAck:        (*answering).judge,
	console.ActDismiss:    (*answering).judge,
	console.ActMute:       (*answering).mute,
	console.ActEscalation: (*answering).see,
	console.ActAnswer:     (*answering).clarify,
	console.ActResume:     (*answering).steer,
	console.ActHalt:       (*answering).steer,
	console.ActApprove:    (*answering).approve,
	console.ActRecover:    (*answering).recoverWave,
	console.ActAllow:      (*answering).allow,
	console.ActRestore:    (*answering).restore,
}

// do publishes an answer as the operator and waits until it is decided.
func (a *answering) do(ctx context.Context) error {
	deed := deeds[a.Act]
	if deed == nil {
		return fmt.Errorf("%q does not answer anything", a.Act)
	}
	if console.NeedsReason(a.Act) && a.Why == "" {
		return errors.New("give a reason, for the record")
	}
	nc, err := a.answers.Connect(ctx)
	if err != nil {
		return fmt.Errorf("connect as the operator: %w", err)
	}
	defer nc.Close()
	a.nc = nc
	return deed(a, ctx)
}

// judge acknowledges or dismisses an interrupt.
func (a *answering) judge(ctx context.Context) error {
	to, err := decisions.FindInterrupt(ctx, a.broker, a.Target)
	if err != nil {
		return err
	}
	act := runevents.ActAck
	if a.Act == console.ActDismiss {
		act = runevents.ActDismiss
	}
	return operator.Do(ctx, a.broker, a.nc, operator.Answer(act, to, a.by, a.Why))
}

// mute silences the detector of an interrupt about its subject, in that session.
func (a *answering) mute(ctx context.Context) error {
	to, err := decisions.FindInterrupt(ctx, a.broker, a.Target)
	if err != nil {
		return err
	}
	subject, err := decisions.SubjectOf(ctx, a.broker, to)
	if err != nil {
		return err
	}
	if subject == "" {
		return fmt.Errorf(
			"what it is about is no longer known; `scaffoldwatch mute --detector %s --session %s` silences the whole detector",
			to.Detector,
			to.Session,
		)
	}
	details := runevents.MuteDetails{Scope: runevents.MuteSubject, Detector: to.Detector, Subject: subject}
	act, err := operator.Mute(operator.Target{Session: to.Session, Group: to.Group}, details, a.by, a.Why, time.Now())
	if err != nil {
		return err
	}
	return operator.Do(ctx, a.broker, a.nc, act)
}

// see acknowledges an escalation.
func (a *answering) see(ctx context.Context) error {
	one, err := decisions.RunOf(ctx, a.broker, a.Of)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(one.Escalations, func(e runlist.Escalation) bool { return e.ID == a.Target })
	if i < 0 {
		return errGone
	}
	return operator.Do(ctx, a.broker, a.nc, operator.AckEscalation(one.Escalations[i], one.ID, a.by, a.Why))
}

// clarify answers a question.
func (a *answering) clarify(ctx context.Context) error {
	one, err := decisions.RunOf(ctx, a.broker, a.Of)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(one.Questions, func(q runlist.Question) bool { return q.RequestID == a.Target })
	if i < 0 ||
		!slices.ContainsFunc(one.Questions[i].Options, func(o runevents.Option) bool { return o.ID == a.Option }) {
		return errGone
	}
	return a.decide(ctx, one.ID, operator.Clarify(a.Target, a.Option, "", a.by))
}

// steer halts a run or session, or resumes it.
func (a *answering) steer(ctx context.Context) error {
	p, err := decisions.FindWhole(ctx, a.broker, a.Of)
	if err != nil {
		return err
	}
	if a.Act == console.ActHalt {
		return a.decide(ctx, p.Group, operator.Halt(p, a.by, a.Why))
	}
	group := p.Group
	if p.Run {
		group = p.ID
	}
	return a.decide(ctx, group, operator.Resume(p, a.by, a.Why))
}

// approve opens the gate that waits for a plan's approval.
func (a *answering) approve(ctx context.Context) error {
	one, err := decisions.RunOf(ctx, a.broker, a.Of)
	if err != nil {
		return err
	}
	return a.decide(ctx, one.ID, operator.Approve(a.by, a.Why))
}

// deniedMerge returns the run and wave of a denied merge, with the chosen option.
func (a *answering) deniedMerge(ctx context.Context) (run string, wave int, chosen runevents.Option, err error) {
	one, err := decisions.RunOf(ctx, a.broker, a.Of)
	if err != nil {
		return "", 0, chosen, err
	}
	for _, g := range slices.Backward(one.Refused) {
		if g.Gate != runevents.GateMerge || strconv.Itoa(g.Wave) != a.Target {
			continue
		}
		if i := slices.IndexFunc(g.Options, func(o runevents.Option) bool { return o.ID == a.Option }); i >= 0 {
			return one.ID, g.Wave, g.Options[i], nil
		}
	}
	return "", 0, chosen, errGone
}

// recoverWave chooses how to recover a denied merge.
func (a *answering) recoverWave(ctx context.Context) error {
	run, wave, chosen, err := a.deniedMerge(ctx)
	if err != nil {
		return err
	}
	option, err := strconv.Atoi(chosen.ID)
	if err != nil {
		return errGone
	}
	if err := a.decide(ctx, run, operator.Recover(wave, option, a.by, a.Why)); err != nil {
		return err
	}
	if _, _, _, err := a.deniedMerge(ctx); !errors.Is(err, errGone) {
		return fmt.Errorf("it was decided and did not take effect: the merge of wave %d is still denied", wave)
	}
	return nil
}

// allow lets a denied call run once.
func (a *answering) allow(ctx context.Context) error {
	denied, err := decisions.Denied(ctx, a.broker, a.Target, a.Of)
	if err != nil {
		return err
	}
	return operator.Do(ctx, a.broker, a.nc, operator.Allow(denied, a.by, a.Why, time.Now()))
}

// folder returns the folder and the group of the session that a snapshot belongs to.
func (a *answering) folder(ctx context.Context) (folder, group string, err error) {
	if a.answers.Machine == nil {
		return "", "", fmt.Errorf(
			"this page does not run on the agent's machine; there: scaffoldwatch rescue restore %s",
			a.Target,
		)
	}
	model := a.opened()
	if model == nil {
		return "", "", errors.New(notOpen)
	}
	s, known, err := model.Session(ctx, a.Of)
	if err == nil && (!known || s.Workspace == "") {
		err = fmt.Errorf(
			"the folder of session %s is not known; in it: scaffoldwatch rescue restore %s",
			a.Of,
			a.Target,
		)
	}
	return s.Workspace, s.Group, err
}

// restore restores a snapshot.
func (a *answering) restore(ctx context.Context) error {
	folder, group, err := a.folder(ctx)
	if err != nil {
		return err
	}
	if err := a.answers.Machine.Restore(ctx, folder, a.Target); err != nil {
		return err
	}
	err = operator.Do(ctx, a.broker, a.nc, operator.Restored(a.Of, group, a.Target, a.by, a.Why, time.Now()))
	if err != nil {
		return fmt.Errorf("the files are written back; that you did it is not on the record: %w", err)
	}
	return nil
}

// decide publishes an event of a run, or of a session without one, and waits for the dispatcher's decision
// about it.
func (a *answering) decide(ctx context.Context, group string, e events.Event) error {
	run, err := client.OpenRun(a.nc, group, client.RunOptions{
		Source: operator.Source, Patience: answerPatience, TrustedKeys: a.broker.Keys().Trusted[decider], RevokedKeys: a.broker.Keys().Revoked,
	})
	if err != nil {
		return fmt.Errorf("answer in %s: %w", group, err)
	}
	defer func() { _ = run.Close() }() // nothing of it is buffered
	if _, err := run.DoEvent(ctx, e); err != nil {
		return fmt.Errorf("answer in %s: %w", group, err)
	}
	return nil
}

const decider = "dispatcher"

// question returns what the page asks before the answer, and what it is about.
func (a *answering) question(ctx context.Context) (q console.Question, err error) {
	q.Answer = a.Answer
	switch a.Act {
	case console.ActAllow:
		denied, err := decisions.Denied(ctx, a.broker, a.Target, a.Of)
		if err != nil {
			return q, err
		}
		if d, is := denied.Data.(*sessionevents.GuardDecided); is {
			c := prevention.Of(denied, d)
			q.Code, q.About = c.Command, []string{"It " + c.What() + "."}
		}
	case console.ActRestore:
		folder, _, err := a.folder(ctx)
		if err != nil {
			return q, err
		}
		files, left, err := a.answers.Machine.Kept(ctx, folder, a.Target)
		if err != nil {
			return q, fmt.Errorf("%w; in the agent's folder: scaffoldwatch rescue restore %s", err, a.Target)
		}
		q.About, q.Code = []string{"In " + folder + ":"}, strings.Join(files, "\n")
		if len(left) > 0 {
			q.About = append(q.About, "Left as they are, since Git ignores them now: "+strings.Join(left, ", "))
		}
	case console.ActRecover:
		_, wave, chosen, err := a.deniedMerge(ctx)
		if err != nil {
			return q, err
		}
		q.About = []string{fmt.Sprintf("Wave %d, %s: %s", wave, chosen.ID, chosen.Text)}
		for _, more := range []string{chosen.Evidence, chosen.Effect, chosen.Tradeoff} {
			if more != "" {
				q.About = append(q.About, more)
			}
		}
	}
	return q, nil
}

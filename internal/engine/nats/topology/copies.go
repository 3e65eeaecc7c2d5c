package topology

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Where agents have an account of their own (deploy/nats/nats.conf), they read
// copies of DECISIONS and CONTROL, which nobody can write: a reply subject named by
// one of them leads to no stream.
const (
	agentsAPI   = "agents.API"   // JetStream of the agents' account, as the administrator reaches it
	servicesAPI = "services.API" // JetStream of the services' account, as the copies reach it
	copyDeliver = "copy.agents"  // where the copies are sent what they lack
)

// copyPatience is how long the agents' account may take to answer, if there is one.
const copyPatience = 500 * time.Millisecond

// Copies returns the streams of the agents' account, by the names of what they
// copy and with its sequences.
func (t Topology) Copies() []jetstream.StreamConfig {
	t = t.WithDefaults()
	kept := slices.DeleteFunc(subjects.StreamSubjects(events.StreamDecisions), func(s string) bool { return strings.HasPrefix(s, "snap.") })
	decisions := t.copy(string(events.StreamDecisions), kept)
	decisions.MaxAge, decisions.AllowMsgTTL = t.Ages[events.StreamDecisions], true
	control := t.copy("KV_"+BucketControl, nil)
	control.MaxMsgsPerSubject, control.AllowMsgTTL, control.DenyDelete, control.AllowDirect = 1, true, true, true
	return []jetstream.StreamConfig{decisions, control}
}

// copy is the copy of what a stream has on some subjects; without any, of all.
func (t Topology) copy(name string, kept []string) jetstream.StreamConfig {
	c := jetstream.StreamConfig{
		Name: name, Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld, Replicas: t.Replicas, AllowDirect: t.Replicas == 1,
		Mirror: &jetstream.StreamSource{Name: name, External: &jetstream.ExternalStream{APIPrefix: servicesAPI, DeliverPrefix: copyDeliver}},
	}
	if t.Replicas == 1 {
		// What is lost with the machine is copied again. Syncing each message, as the
		// original does once a batch, would hold the copy back.
		c.PersistMode = jetstream.AsyncPersistMode
	}
	for _, s := range kept {
		c.Mirror.SubjectTransforms = append(c.Mirror.SubjectTransforms, jetstream.SubjectTransformConfig{Source: s})
	}
	return c
}

// Agents returns the JetStream of the agents' account as an administrator reaches it, nil
// where there is no such account or no administrator asks.
func Agents(ctx context.Context, js jetstream.JetStream) (jetstream.JetStream, error) {
	agents, err := jetstream.NewWithAPIPrefix(js.Conn(), agentsAPI, jetstream.WithDefaultTimeout(5*time.Second))
	if err != nil {
		return nil, fmt.Errorf("reach the agents' account: %w", err)
	}
	asked, cancel := context.WithTimeout(ctx, copyPatience)
	defer cancel()
	if _, err := agents.AccountInfo(asked); err != nil {
		return nil, ctx.Err()
	}
	return agents, nil
}

// provisionCopies makes the copies where agents have an account of their own. One
// of another version is created again: nothing is in it that its original lacks.
func provisionCopies(ctx context.Context, js jetstream.JetStream, t Topology) ([]Difference, error) {
	agents, err := Agents(ctx, js)
	if err != nil || agents == nil {
		return nil, err
	}
	var all []Difference
	for _, want := range t.Copies() {
		differences, err := provisionCopy(ctx, agents, want)
		if err != nil {
			return nil, fmt.Errorf("copy %s for agents: %w", want.Name, err)
		}
		all = append(all, differences...)
	}
	return all, nil
}

func provisionCopy(ctx context.Context, agents jetstream.JetStream, want jetstream.StreamConfig) ([]Difference, error) {
	have, err := agents.Stream(ctx, want.Name)
	if err == nil && copied(have.CachedInfo().Config) != copied(want) {
		if err = agents.DeleteStream(ctx, want.Name); err == nil {
			err = jetstream.ErrStreamNotFound
		}
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		have, err = agents.CreateStream(ctx, want)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another was faster
			have, err = agents.Stream(ctx, want.Name)
		}
	}
	if err != nil {
		return nil, err
	}
	var d differences
	d.add(want.Name+" of agents", "max age", want.MaxAge, have.CachedInfo().Config.MaxAge)
	d.add(want.Name+" of agents", "replicas", want.Replicas, have.CachedInfo().Config.Replicas)
	return d, nil
}

// copied describes what a stream copies.
func copied(c jetstream.StreamConfig) string {
	if c.Mirror == nil {
		return "nothing"
	}
	var kept []string
	for _, s := range c.Mirror.SubjectTransforms {
		kept = append(kept, s.Source)
	}
	return c.Mirror.Name + " " + strings.Join(sorted(kept), " ")
}

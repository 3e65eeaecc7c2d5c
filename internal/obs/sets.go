package obs

import (
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/spec"
)

// Detectors returns everything that a decision can name as its detector: those of the rules, those that
// users add, and the rules and codes of the layers of runs.
func Detectors(set *rules.Set) []string {
	ids := map[string]bool{}
	for _, rule := range spec.Rules() {
		ids[rule.ID] = true
		for _, c := range rule.Codes {
			ids[c.Code] = true
		}
	}
	var built map[string]any
	var users struct {
		Detectors []map[string]any `yaml:"detectors"`
		Rest      map[string]any   `yaml:",inline"`
	}
	if set.Decode("detectors", &built) == nil {
		for id := range built {
			ids[id] = true
		}
	}
	for _, id := range opinion.Detectors {
		ids[id] = true
	}
	if set.Decode("userrules", &users) == nil {
		for _, d := range users.Detectors {
			if id, is := d["id"].(string); is {
				ids[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// eventTypes returns the types of the contract; a publisher can write anything.
func eventTypes() (names []string) {
	for _, d := range events.All() {
		names = append(names, string(d.Type))
	}
	return names
}

// refusals are the reasons why an event is rejected on arrival.
var refusals = []invalid.Code{
	invalid.NotCloudEvent, invalid.BadAttribute, invalid.MissingAttribute, invalid.UnknownType, invalid.BadID, invalid.TooLarge,
	invalid.TooDeep, invalid.NotUTF8, invalid.BadData, invalid.MissingField, invalid.BadValue, invalid.BadSubject,
}

// outcomes are the delivery states of an interrupt.
var outcomes = []sessionevents.DeliveryState{
	"fired", sessionevents.DeliveryEmitted, sessionevents.DeliveryDelivered, sessionevents.DeliveryAcked, sessionevents.DeliveryHeeded,
	sessionevents.DeliveryIgnored, sessionevents.DeliveryDismissed, sessionevents.DeliveryExpired, sessionevents.DeliveryUnsupported,
}

// decisions are the dispatcher's decisions, in words of the event types.
var decisions = []string{
	"fired", "queued", "logged", "suppressed", "self_corrected", "expired", "coalesced", "unsent",
	string(sessionevents.DeliveryHeeded), string(sessionevents.DeliveryIgnored),
}

// reasons returns the reasons for them.
func reasons() []string {
	list := []string{"at_once", "escalated", "from_queue", "judged"}
	for _, c := range []sessionevents.DispositionCode{
		sessionevents.CodeBelowQueue, sessionevents.CodeCapped, sessionevents.CodeReading, sessionevents.CodeRefuted, sessionevents.CodeNotWorthSaying, sessionevents.CodeObservedDetector, sessionevents.CodeObserveMode,
		sessionevents.CodeOverride, sessionevents.CodeDetectorOff, sessionevents.CodeMuted, sessionevents.CodeCorrected, sessionevents.CodeTooOld,
		sessionevents.CodeQueueFull, sessionevents.CodeSameCause, sessionevents.CodeSessionClosed,
	} {
		list = append(list, string(c))
	}
	for _, r := range []sessionevents.QueueReason{
		sessionevents.ReasonBelowFire, sessionevents.ReasonOutranked, sessionevents.ReasonCooldown, sessionevents.ReasonBudgetExhausted,
	} {
		list = append(list, string(r))
	}
	for _, l := range []sessionevents.Layer{
		sessionevents.LayerArchetype, sessionevents.LayerSystem, sessionevents.LayerPolicy, sessionevents.LayerWave, sessionevents.LayerPipeline,
	} {
		list = append(list, string(l))
	}
	return list
}

// streams are those in which a reader can find a fault.
var streams = []string{
	string(events.StreamInput), string(events.StreamTimers), string(events.StreamSegments), string(events.StreamSignals),
	string(events.StreamDecisions), string(events.StreamDeadLetter),
	topology.BucketControl, topology.BucketMembers, topology.BucketPositions, topology.BucketRules,
}

// doubts are the reasons why a reader rejects a message.
var doubts = []string{
	proof.ReasonNoCheckpoint, proof.ReasonSignature, proof.ReasonCopied, proof.ReasonChain, proof.ReasonOutside, proof.ReasonContent,
	proof.ReasonType, proof.ReasonTimer, proof.ReasonErased, proof.ReasonCut, "not written by a service",
}

// deadKinds are the kinds of reasons for a dead letter, by prefix. All others are about a rejected event,
// and quote it.
var deadKinds = []struct{ begins, kind string }{
	{"step panics", "panic"},
	{"step exceeds its budget", "too_slow"},
	{"derives", "output"},
	{"what came in group", "state_lost"},
	{"type ", "wrong_subject"},
	{"event about ", "wrong_subject"},
	{"nats subject", "wrong_subject"},
}

const refusedKind = "refused"

func deadKind(reason string) string {
	for _, k := range deadKinds {
		if strings.HasPrefix(reason, k.begins) {
			return k.kind
		}
	}
	return refusedKind
}

func deadLabels() []string {
	list := []string{refusedKind}
	for _, k := range deadKinds {
		list = append(list, k.kind)
	}
	return list
}

// Package run is the shape that all rules about runs share: a [Rule] is a value
// with an id, the types of events it reads and a function of the event's
// [Context]. A layer (policy, wave, pipeline, intent, shadow) is a list of rules;
// [Rules.On] returns those that read a type, in the order of the list.
//
// A layer has a Context of its own that embeds [*Context] and adds the layer's
// configuration and state. A rule folds the event into that state and concludes:
// violations, gates, requested breaks, escalations. Rules that only fold come
// first in a list. Conclusions are not events yet: package settle turns those of
// all layers into events, in order, and is the only one that breaks a run.
//
// To add a rule:
//
//  1. Write it in a file of its own in the layer it belongs to; [With] gives it the
//     payload, and its comment names the id:
//
//     // agentFailures is RW-30: agents that fail or time out in a row.
//     var agentFailures = Rule{ID: "RW-30", On: run.Types(runevents.TypeAgentCompleted), Run: run.With(func(c *Context, data *runevents.AgentCompleted) {
//     …
//     })}
//
//  2. Add it to the layer's list at the place where its conclusions belong: the order
//     of the list is the order of the events.
//
//  3. What it remembers is a field of the layer's State; bound it by the layer's
//     Kept, and raise Version of the machine that encodes it.
//
//  4. A rule that only folds for later rules sets Folds: it does not
//     count as executed.
//
//  5. Write a firing and a silent scenario that claim its id. Conformance measures,
//     through [Context.Executed], that they executed the rule.
package run

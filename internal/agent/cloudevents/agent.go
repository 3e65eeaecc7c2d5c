// Package cloudevents reads logs of CloudEvents, one structured-mode event per line or element: turns,
// sessions, run events, deliveries, whatever was published. Events pass through unchanged, including
// unknown fields (EV-3).
package cloudevents

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "cloudevents"

// Agent is a log of events of the contract.
var Agent = agent.Agent{Name: Name, Page: "cloudevents.md", Transcript: &Transcript}

package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// faultsPerAct keeps an act well below the size that a server accepts.
const faultsPerAct = 1000

// acknowledge records that the operator knows about the damage in a place, and verifies again.
func (c *Verify) acknowledge(r *cli.Call, report *chain.Report) error {
	place, err := chain.ParsePlace(c.Acknowledge)
	if err != nil {
		return cli.Usage(err)
	}
	faults := report.Faults(place)
	if len(faults) == 0 {
		return fmt.Errorf("nothing to acknowledge at %s: %s", c.Acknowledge, report.Result())
	}
	for _, f := range faults {
		fmt.Fprintln(r.Prose(), f)
	}
	act := fmt.Sprintf("acknowledge %s at %s as known damage", text.Count(len(faults), "fault"), c.Acknowledge)
	as, err := c.AsOperator(r, act)
	if err != nil {
		return err
	}
	broker, nc, err := as.Open(r)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(faults, faultsPerAct) {
		if err := c.record(r, broker, nc, some); err != nil {
			return err
		}
	}
	return nil
}

// errActNotRead is returned if ingest does not commit the acknowledgement.
var errActNotRead = errors.New("the services have not read the acknowledgement: check that ingest, evaluator and dispatcher run; it counts once they have, and `scaffoldwatch verify` then names it")

// record publishes an acknowledgement and waits until the stages have committed it.
func (c *Verify) record(r *cli.Call, broker *nats.Broker, nc *nats.Conn, faults []chain.Finding) error {
	return Record(r, broker, nc, &runevents.OperatorAct{
		Act: runevents.ActAcknowledgeDamage, Target: c.Acknowledge, By: c.Name(), Why: c.Why,
	}, chain.Damage(faults))
}

// Record publishes an operator's act about the whole record, with its details, and waits until the stages have
// committed it.
func Record(r *cli.Call, broker *nats.Broker, nc *nats.Conn, act *runevents.OperatorAct, details any) (err error) {
	if act.Details, err = json.Marshal(details); err != nil {
		return fmt.Errorf("encode what is acknowledged: %w", err)
	}
	at := now().UTC()
	e := events.Event{
		Type: runevents.TypeOperatorAct, Subject: runevents.RecordID, PartitionKey: runevents.RecordID, Time: at,
		ID:   events.DerivedID(string(act.Act), runevents.RecordID, at.Format(time.RFC3339Nano)+string(act.Details), 0),
		Data: act,
	}
	if err := operator.Publish(r, nc, e); err != nil {
		return err
	}
	return untilRecorded(r, broker, e, errActNotRead)
}

// untilRecorded waits until every stage has committed an event; late is the error if one does not.
func untilRecorded(r *cli.Call, broker *nats.Broker, e events.Event, late error) error {
	for deadline := now().Add(stagePatience); now().Before(deadline); {
		recorded, err := read.Recorded(r, broker, e)
		if err != nil || recorded {
			return err
		}
		select {
		case <-r.Done():
			return r.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return late
}

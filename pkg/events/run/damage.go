package run

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Damage is the details of ActAcknowledgeDamage: the faults of the record that an
// operator knows and accepts. Later verifications list them without failing because of
// them.
type Damage struct {
	Faults []Fault `json:"faults"`
}

// Fault is one fault that a verification found.
type Fault struct {
	Kind     string `json:"kind"`
	Stream   string `json:"stream"`
	Sequence uint64 `json:"sequence,omitempty"`
	Through  uint64 `json:"through,omitempty"`
	// Mark is SHA-256 (hex) of the fault and its evidence, so that a later fault in the
	// same place is not acknowledged with it.
	Mark string `json:"mark"`
}

// ParseDamage reads and validates the details of an act that acknowledges damage.
func ParseDamage(act *OperatorAct) (d Damage, err error) {
	if err := json.Unmarshal(act.Details, &d); err != nil {
		return d, fmt.Errorf("read acknowledged damage: %w", err)
	}
	if len(d.Faults) == 0 {
		return d, errors.New("no faults are acknowledged")
	}
	return d, nil
}

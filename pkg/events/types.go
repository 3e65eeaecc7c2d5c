package events

// Type is a CloudEvents type of the contract. The types of the payloads are
// constants of the packages session and run.
type Type string

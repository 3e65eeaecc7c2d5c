package events

// Type is a CloudEvents type of the contract. The payload types are constants of the
// packages session and run.
type Type string

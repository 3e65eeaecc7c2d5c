// Package contract generates what is published of the event contract in addition to its Go types: one JSON
// Schema and one golden example for each type, and the AsyncAPI document. `make golden` writes them; a test
// in pkg/events fails when one is stale.
package contract

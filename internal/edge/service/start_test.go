package service

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
)

// The embedded broker, which reads all of its streams after a crash, starts while the machines are
// built: each waits for the other here.
func TestTheBrokerStartsWhileMachinesAreBuilt(t *testing.T) {
	starting, building := make(chan struct{}), make(chan struct{})
	noBroker, noMachine := errors.New("no broker"), errors.New("no machine")
	one := Service{Name: "ingest", Build: func(*Process) ([]Part, error) {
		close(building)
		<-starting
		return nil, noMachine
	}}
	settings := config.Default()
	settings.HTTP.Address = ""
	err := Run(t.Context(), Options{
		Services: []Service{one}, Config: settings, Log: slog.New(slog.DiscardHandler),
		Start: func() (Server, error) {
			close(starting)
			<-building
			return nil, noBroker
		},
	})
	require.ErrorIs(t, err, noBroker)
	require.ErrorIs(t, err, noMachine)
}

// Between the connection and the first look at the streams a process is not ready: whoever trusts it then
// trusts streams that may not exist (EV-11).
func TestAConnectionAloneIsNotReady(t *testing.T) {
	one := Service{Name: "ingest", Build: func(*Process) ([]Part, error) { return nil, nil }}
	_, _, p, err := prepare(Options{
		Services: []Service{one}, Config: config.Default(), Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	require.False(t, p.health.ready())
	p.Report("nats", nil) // as after connecting
	require.False(t, p.health.ready())
	p.Report("streams", nil) // as after provisioning
	require.True(t, p.health.ready())
}

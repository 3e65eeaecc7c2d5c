package system

import (
	"crypto/tls"
	"net"

	"github.com/scaffoldwatch/scaffoldwatch/internal/loopback"
)

// connected is a connection to the broker.
type connected interface {
	TLSConnectionState() (tls.ConnectionState, error)
	ConnectedAddr() string // host:port
}

// encryption warns if passwords, turns and decisions cross a network in clear text.
func encryption(check *checkup, nc connected) {
	state, err := nc.TLSConnectionState()
	host, _, _ := net.SplitHostPort(nc.ConnectedAddr())
	switch {
	case err == nil:
		check.line(true, "encryption", "%s", tls.VersionName(state.Version))
	case loopback.Is(host):
		check.line(true, "encryption", "none needed: the server is on this machine")
	default:
		check.line(false, "encryption", "none: passwords and turns cross the network in clear text; see deploy/nats/cluster.conf and nats.tls_ca")
	}
}

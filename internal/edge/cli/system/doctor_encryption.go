package system

import (
	"crypto/tls"
	"net"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// encryption warns where passwords, turns and decisions cross a network in clear text.
func encryption(check *checkup, nc *nats.Conn) {
	state, err := nc.TLSConnectionState()
	switch {
	case err == nil:
		check.line(true, "encryption", "%s", tls.VersionName(state.Version))
	case loopback(nc.ConnectedAddr()):
		check.line(true, "encryption", "none needed: the server is on this machine")
	default:
		check.line(false, "encryption", "none: passwords and turns cross the network in clear text; see deploy/nats/cluster.conf and nats.tls_ca")
	}
}

// loopback reports whether an address, as host:port, is of this machine.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}

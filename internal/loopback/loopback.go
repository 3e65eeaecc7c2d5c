// Package loopback says which names are of this machine: what is sent to them does not
// cross a network.
package loopback

import "net"

// Is reports whether a host, without a port, is this machine: "localhost" or a loopback
// address.
func Is(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

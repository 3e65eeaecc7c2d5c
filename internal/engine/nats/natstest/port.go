package natstest

import (
	"net"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// FreeAddresses are addresses of this machine, as host:port, that nothing listens on.
func FreeAddresses(t testing.TB, n int) (addresses []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer func() { require.NoError(t, l.Close()) }() // not before the next, which would get it again
		addresses = append(addresses, l.Addr().String())
	}
	return addresses
}

func port(t testing.TB, address string) int {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	n, err := strconv.Atoi(u.Port())
	require.NoError(t, err)
	return n
}

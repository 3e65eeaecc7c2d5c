package natstest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ports for servers that tests start again on the same one are below those that systems hand out by themselves,
// from 32768 (Linux) or 49152 on: a connection of anybody would get the port between two starts.
const firstPort, lastPort = 10_000, 32_767

// FreeAddresses are addresses of this machine, as host:port, that nothing listens on.
func FreeAddresses(t testing.TB, n int) []string {
	t.Helper()
	addresses, err := Free(n)
	require.NoError(t, err)
	return addresses
}

// Free is FreeAddresses for callers outside a test.
func Free(n int) (addresses []string, err error) {
	for try := 0; len(addresses) < n; try++ {
		address := fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(lastPort-firstPort))
		l, err := net.Listen("tcp", address)
		if err != nil {
			if try < 100*n {
				continue
			}
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer func() { _ = l.Close() }() // not before the next, which could get it again
		addresses = append(addresses, address)
	}
	return addresses, nil
}

func port(t testing.TB, address string) int {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	n, err := strconv.Atoi(u.Port())
	require.NoError(t, err)
	return n
}

package natstest

import (
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func port(t testing.TB, address string) int {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	n, err := strconv.Atoi(u.Port())
	require.NoError(t, err)
	return n
}

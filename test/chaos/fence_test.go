package main

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Only checkpoints lose their fence, and no byte moves.
func TestRemoveFences(t *testing.T) {
	header := "NATS/1.0\r\nNats-Expected-Last-Subject-Sequence: 7\r\n\r\n"
	sent := "CONNECT {}\r\nPING\r\n" +
		"HPUB ckpt.ingest.1 _INBOX.a 52 55\r\n" + header + "abc\r\n" +
		"HPUB $KV.CONTROL.x _INBOX.b 52 55\r\n" + header + "abc\r\n" +
		"PUB x.y 6\r\nckpt.\n\r\nSUB a 1\r\n"
	require.Len(t, header, 52)
	var got bytes.Buffer
	require.ErrorIs(t, removeFences(bufio.NewReader(strings.NewReader(sent)), &got), io.EOF)
	require.Equal(t, strings.Replace(sent, "Nats-Expected", "Xats-Expected", 1), got.String())
}

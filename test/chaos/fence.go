package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// The negative control runs the services through a proxy that removes the fence
// from every commit on its way to the broker, so that the product needs no
// switch for it. The proxy renames the header that carries the expected sequence
// in messages on checkpoint subjects; the broker ignores the new name.
var (
	fence   = []byte("Nats-Expected-Last-Subject-Sequence:")
	noFence = []byte("Xats-Expected-Last-Subject-Sequence:") // equally long, so that no length changes
)

// unfencedBroker listens on a free port and forwards to the broker at address,
// without fences. It runs until the process ends.
func unfencedBroker(address string) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listen for the services: %w", err)
	}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go forward(client, address)
		}
	}()
	return listener.Addr().String(), nil
}

// forward connects a client and the broker until one of them closes.
func forward(client net.Conn, address string) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return // the client reconnects
	}
	defer func() { _ = server.Close() }()
	go func() {
		_, _ = io.Copy(client, server)
		_ = client.Close()
	}()
	_ = removeFences(bufio.NewReader(client), server)
}

// removeFences copies the client's side of the NATS protocol, in which PUB and
// HPUB are followed by as many bytes as their last argument says.
func removeFences(from *bufio.Reader, to io.Writer) error {
	out := bufio.NewWriter(to)
	for {
		line, err := from.ReadBytes('\n')
		if err != nil {
			return err
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
		words := strings.Fields(string(line))
		if len(words) > 2 && (words[0] == "PUB" || words[0] == "HPUB") {
			size, err := strconv.Atoi(words[len(words)-1])
			if err != nil {
				return fmt.Errorf("read the size in %q: %w", line, err)
			}
			body := make([]byte, size+len("\r\n"))
			if _, err := io.ReadFull(from, body); err != nil {
				return err
			}
			if strings.HasPrefix(words[1], "ckpt.") {
				body = bytes.Replace(body, fence, noFence, 1)
			}
			if _, err := out.Write(body); err != nil {
				return err
			}
		}
		if from.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

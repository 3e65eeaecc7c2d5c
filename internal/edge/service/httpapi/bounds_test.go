package httpapi

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ask sends one request by hand and returns its status.
func ask(t *testing.T, s *Server, headers ...string) int {
	t.Helper()
	conn, err := net.Dial("tcp", s.Address())
	require.NoError(t, err)
	defer conn.Close()
	return send(t, conn, headers...)
}

func send(t *testing.T, conn net.Conn, headers ...string) int {
	t.Helper()
	request := "GET /v1/x HTTP/1.1\r\n"
	for _, h := range headers {
		request += h + "\r\n"
	}
	_, err := io.WriteString(conn, request+"\r\n")
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(t, err)
	return response.StatusCode
}

var hello = map[string]http.Handler{
	"GET /v1/x": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x") }),
}

// A web page whose name resolves to loopback does not read the interface, and no
// other site's page calls it.
func TestWebPagesAreNotAnswered(t *testing.T) {
	s := start(t, Options{Routes: hello, Hosts: []string{"watch.example"}})
	_, port, err := net.SplitHostPort(s.Address())
	require.NoError(t, err)
	for host, want := range map[string]int{
		s.Address(): 200, "localhost:" + port: 200, "LOCALHOST": 200, "[::1]:" + port: 200, "127.0.0.1": 200, "a.localhost": 200,
		"watch.example": 200, "Watch.Example.:443": 200,
		"evil.example": 421, "evil.example:" + port: 421, "127.0.0.1.evil.example": 421, "localhost.evil.example:" + port: 421, "": 421, "watch.example.evil": 421,
	} {
		require.Equal(t, want, ask(t, s, "Host: "+host), host)
	}
	for origin, want := range map[string]int{
		"http://" + s.Address(): 200, "https://watch.example": 200,
		"http://evil.example": 403, "null": 403, "http://localhost:1": 403, "http://127.0.0.1:1": 403,
	} {
		require.Equal(t, want, ask(t, s, "Host: "+s.Address(), "Origin: "+origin), origin)
	}
}

func TestBearerInAnyCase(t *testing.T) {
	s := start(t, Options{Token: "letmein", Routes: hello})
	for header, want := range map[string]int{
		"Bearer letmein": 200, "bearer letmein": 200, "BEARER letmein": 200, "Basic letmein": 401, "letmein": 401, "bearer": 401, "bearer letmei": 401,
	} {
		require.Equal(t, want, ask(t, s, "Host: localhost", "Authorization: "+header), header)
	}
}

// Connections that only wait do not stay: the oldest of them are closed.
func TestIdleConnectionsAreBounded(t *testing.T) {
	s := start(t, Options{Routes: hello})
	var conns []net.Conn
	for range 300 {
		conn, err := net.Dial("tcp", s.Address())
		require.NoError(t, err)
		defer conn.Close()
		require.Equal(t, 200, send(t, conn, "Host: localhost"))
		conns = append(conns, conn)
	}
	open := func() (n int) {
		for _, conn := range conns {
			_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
			if _, err := conn.Read(make([]byte, 1)); isTimeout(err) {
				n++
			}
		}
		return n
	}
	require.Eventually(t, func() bool { return open() == maxIdle }, time.Minute, 50*time.Millisecond, "%d idle connections", open())
	require.Equal(t, 200, ask(t, s, "Host: localhost"), "others are answered")
}

func isTimeout(err error) bool {
	var problem net.Error
	return errors.As(err, &problem) && problem.Timeout()
}

// Nobody keeps others out by opening connections: idle ones make room.
func TestConnectionsAreCounted(t *testing.T) {
	c := newConnections()
	conns := make([]net.Conn, maxOpen+2)
	for i := range conns {
		conns[i], _ = net.Pipe()
	}
	for _, conn := range conns[:maxOpen] {
		require.Nil(t, c.count(conn, http.StateNew))
	}
	require.Equal(t, conns[maxOpen], c.count(conns[maxOpen], http.StateNew), "all are busy")
	require.Nil(t, c.count(conns[maxOpen], http.StateClosed))
	require.Nil(t, c.count(conns[7], http.StateIdle))
	require.Equal(t, conns[7], c.count(conns[maxOpen+1], http.StateNew), "the idle one goes")
	require.Nil(t, c.count(conns[7], http.StateClosed))
	require.Equal(t, maxOpen, c.open, fmt.Sprint(c.age.Len()))
}

package httpapi

import (
	"container/list"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	idleTimeout = 30 * time.Second // of a connection between two requests
	maxIdle     = 64               // idle connections; beyond that the oldest are closed
	maxOpen     = 1024             // all connections; beyond that new ones are closed at once
)

// connections limits how many connections a server keeps. Idle connections are closed first, so that nobody
// can lock out others by holding many.
type connections struct {
	mu   sync.Mutex
	idle map[net.Conn]*list.Element
	age  *list.List // idle connections, oldest first
	open int
}

func newConnections() *connections {
	return &connections{idle: map[net.Conn]*list.Element{}, age: list.New()}
}

// changed follows a connection's state, see [http.Server].ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	if surplus := c.count(conn, state); surplus != nil {
		_ = surplus.Close()
	}
}

// count returns the connection to close because there are too many, nil if there is none.
func (c *connections) count(conn net.Conn, state http.ConnState) net.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.idle[conn]; at != nil {
		c.forget(at)
	}
	switch state {
	case http.StateNew:
		if c.open++; c.open > maxOpen && c.age.Len() == 0 {
			return conn
		}
		if c.open > maxOpen {
			return c.forget(c.age.Front())
		}
	case http.StateIdle:
		c.idle[conn] = c.age.PushBack(conn)
		if c.age.Len() > maxIdle {
			return c.forget(c.age.Front())
		}
	case http.StateClosed, http.StateHijacked:
		c.open--
	}
	return nil
}

// forget removes a connection from the idle ones.
func (c *connections) forget(at *list.Element) net.Conn {
	conn := c.age.Remove(at).(net.Conn)
	delete(c.idle, conn)
	return conn
}

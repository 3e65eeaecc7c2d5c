// Package examples runs the clients in other languages against a real system.
package examples

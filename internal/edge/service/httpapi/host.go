package httpapi

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/loopback"
)

// hostCheck keeps web pages away from an interface on loopback. A page whose own name is made to resolve to
// 127.0.0.1 (DNS rebinding) could read answers as if they were its own; its requests are recognised by that
// name. An address in place of a name cannot be rebound.
type hostCheck struct {
	names map[string]bool
	sites map[string]bool // names whose pages may call as well
	// any accepts every name: beyond loopback, where a token is required, unless names are configured.
	any bool
}

func newHostCheck(o Options) hostCheck {
	c := hostCheck{names: map[string]bool{"localhost": true}, sites: map[string]bool{}}
	host, _, _ := net.SplitHostPort(o.Address)
	c.any = !loopback.Is(host) && len(o.Hosts) == 0
	for _, name := range append([]string{host}, o.Hosts...) {
		c.names[strings.ToLower(name)] = true
	}
	for _, name := range o.Hosts {
		c.sites[strings.ToLower(name)] = true
	}
	return c
}

// accepts reports whether a request may call the interface under a host name, with or without a port.
func (c hostCheck) accepts(hostPort string) bool {
	host := hostPort
	if name, _, err := net.SplitHostPort(hostPort); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	return c.any || net.ParseIP(host) != nil || c.names[host] || strings.HasSuffix(host, ".localhost")
}

// origin reports whether a request does not come from another site's page.
func (c hostCheck) origin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && (strings.EqualFold(u.Host, r.Host) || c.sites[strings.ToLower(u.Hostname())])
}

// wrap returns a handler that rejects other requests.
func (c hostCheck) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !c.accepts(r.Host):
			http.Error(w, fmt.Sprintf("the host %.100q is not a name of this interface: use its address, or add the name to http.hosts", r.Host), http.StatusMisdirectedRequest)
		case !c.origin(r):
			http.Error(w, "requests from pages of other sites are rejected", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

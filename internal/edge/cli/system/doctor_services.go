package system

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/loopback"
)

// services reports what the service at http.address on this machine lacks to be ready: it knows what other
// processes cannot observe, such as a failed storage of its embedded server. It reports nothing if no
// service answers, or if the address is the default and the broker is not: another system may be running
// there.
func (c *Doctor) services(check *checkup) {
	settings, err := c.Settings(check.Call)
	if err != nil {
		return
	}
	address, usual := settings.HTTP.Address, strings.TrimPrefix(install.DefaultURL, "http://")
	if settings.NATS.URL == config.Default().NATS.URL && address == "" {
		address = usual
	}
	lacks, ok := notReady(check, address)
	if !ok {
		return
	}
	if len(lacks) == 0 {
		check.line(true, "services", "the service at %s is ready", address)
		return
	}
	lines := []string{"the one at " + address + " is not ready:"}
	for _, name := range slices.Sorted(maps.Keys(lacks)) {
		lines = append(lines, terminal.Clean(name+": "+lacks[name]))
	}
	check.line(false, "services", "%s", strings.Join(lines, "\n"))
}

// notReady asks /readyz at an address on this machine and returns what is missing; ok is false if nothing
// answers.
func notReady(ctx context.Context, address string) (lacks map[string]string, ok bool) {
	const patience, most = 2 * time.Second, 1 << 20
	host, _, err := net.SplitHostPort(address)
	if err != nil || !loopback.Is(host) {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
	if err != nil {
		return nil, false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, false
	}
	defer response.Body.Close()
	states := map[string]string{}
	if json.NewDecoder(io.LimitReader(response.Body, most)).Decode(&states) != nil {
		return nil, false
	}
	maps.DeleteFunc(states, func(_, state string) bool {
		return state == "ok" ||
			strings.HasPrefix(state, "warning: ")
	})
	return states, true
}

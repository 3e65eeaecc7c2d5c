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
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/httpapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/loopback"
)

// services reports what the process on this machine that has services lacks to be ready, as it says at
// http.address or, with an embedded broker, over NATS: it knows what other processes cannot observe, such as
// its disk and a failed storage. It reports nothing if nobody answers.
func (c *Doctor) services(check *checkup, nc *nats.Conn) {
	settings, err := c.Settings(check.Call)
	if err != nil {
		return
	}
	who, states := c.asked(check, settings, nc)
	if states == nil {
		return
	}
	const disk = "disk"
	if low, is := strings.CutPrefix(states[disk], httpapi.Warning); is { // doctor sees the rest of the warnings itself
		check.line(false, "disk", "%s", terminal.Clean(low))
	}
	maps.DeleteFunc(states, func(_, state string) bool {
		return state == httpapi.Healthy || strings.HasPrefix(state, httpapi.Warning)
	})
	if len(states) == 0 {
		check.line(true, "services", "%s is ready", who)
		return
	}
	lines := []string{who + " is not ready:"}
	for _, name := range slices.Sorted(maps.Keys(states)) {
		lines = append(lines, terminal.Clean(name+": "+states[name]))
	}
	check.line(false, "services", "%s", strings.Join(lines, "\n"))
}

// asked returns what the process says of its checks, and which one that is; nil if nobody answers. With the
// default address of the interface but another broker nobody is asked there: another system may be running.
func (c *Doctor) asked(
	ctx context.Context, settings config.Config, nc *nats.Conn,
) (who string, states map[string]string) {
	address, usual := settings.HTTP.Address, strings.TrimPrefix(install.DefaultURL, "http://")
	if settings.NATS.URL == config.Default().NATS.URL && address == "" {
		address = usual
	}
	if states, ok := readiness(ctx, address); ok {
		return "the service at " + address, states
	}
	if nc != nil {
		if states, ok := vitals.Ask(ctx, nc); ok {
			return "the process of the broker", states
		}
	}
	return "", nil
}

// readiness asks /readyz at an address on this machine; ok is false if nothing answers.
func readiness(ctx context.Context, address string) (states map[string]string, ok bool) {
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
	if json.NewDecoder(io.LimitReader(response.Body, most)).Decode(&states) != nil || states == nil {
		return nil, false
	}
	return states, true
}

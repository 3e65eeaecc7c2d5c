package topology

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// compression is that of streams of text. A stream with replicas has none: after a
// crash of its servers nats-server (up to 2.15.3) cuts a compressed block where the
// uncompressed one would end, and no server can read it again (ADR 18).
func (t Topology) compression() jetstream.StoreCompression {
	if t.Replicas > 1 {
		return jetstream.NoCompression
	}
	return jetstream.S2Compression
}

// compressingKey is the metadata of a stream from which compression was taken off: the
// ids of the servers that ran then. A server reads that setting only when it starts, and
// has another id each time.
const compressingKey = "scaffoldwatch.compressing_servers"

// serverTimeout bounds the connection to one server.
const serverTimeout = 2 * time.Second

// takesOff reports whether a change takes compression off a stream with replicas, or adds
// replicas to a stream that was compressed until then.
func takesOff(next, have jetstream.StreamConfig) bool {
	return next.Replicas > 1 && have.Compression != jetstream.NoCompression && next.Compression == jetstream.NoCompression
}

// compressing returns a stream's metadata with the ids of the servers that run now. It
// fails if one that holds the stream cannot be reached: whether it was restarted since
// could not be said.
func compressing(ctx context.Context, nc *nats.Conn, info *jetstream.StreamInfo) (map[string]string, error) {
	ids, missing := map[string]bool{}, holders(info)
	failed := errors.New("it is not among the servers that the connection knows")
	for _, url := range servers(nc) {
		id, name, err := serverAt(ctx, nc, url)
		if err != nil {
			failed = fmt.Errorf("%s: %w", url, err)
			continue
		}
		ids[id] = true
		delete(missing, name)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("not possible while %s cannot be reached (last error: %w)", strings.Join(slices.Sorted(maps.Keys(missing)), ", "), failed)
	}
	metadata := maps.Clone(info.Config.Metadata)
	if metadata == nil {
		metadata = map[string]string{}
	}
	metadata[compressingKey] = strings.Join(slices.Sorted(maps.Keys(ids)), ",")
	return metadata, nil
}

// holders are the names of the servers that hold a stream.
func holders(info *jetstream.StreamInfo) map[string]bool {
	all := map[string]bool{}
	if info.Cluster == nil {
		return all
	}
	for _, replica := range info.Cluster.Replicas {
		all[replica.Name] = true
	}
	if info.Cluster.Leader != "" {
		all[info.Cluster.Leader] = true
	}
	return all
}

// stillCompressed returns a difference if servers still compress a stream from which
// compression was taken off, since they have not been restarted.
func stillCompressed(ctx context.Context, nc *nats.Conn, have jetstream.StreamConfig) []Difference {
	ids := have.Metadata[compressingKey]
	if ids == "" || have.Compression != jetstream.NoCompression {
		return nil
	}
	var names []string
	for _, url := range servers(nc) {
		id, name, err := serverAt(ctx, nc, url)
		if err == nil && slices.Contains(strings.Split(ids, ","), id) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []Difference{{
		have.Name, "compression", "none",
		fmt.Sprintf("taken off, but %s still compress until each is restarted (one at a time, with SIGTERM; docs/operations.md)", strings.Join(sorted(names), ", ")),
	}}
}

// servers are the addresses of the broker's servers, as far as the connection knows them.
func servers(nc *nats.Conn) []string {
	all := nc.Servers()
	for i, url := range all {
		all[i] = strings.TrimSuffix(url, "/")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// serverAt connects to one server as the connection does, and returns its id and name.
func serverAt(ctx context.Context, nc *nats.Conn, url string) (id, name string, err error) {
	if err := ctx.Err(); err != nil {
		return "", "", err
	}
	o := nc.Opts
	o.Url, o.Servers, o.AllowReconnect, o.RetryOnFailedConnect, o.Timeout = url, nil, false, false, serverTimeout
	o.ConnectedCB, o.DisconnectedErrCB, o.ReconnectedCB, o.ClosedCB, o.AsyncErrorCB = nil, nil, nil, nil, func(*nats.Conn, *nats.Subscription, error) {}
	one, err := o.Connect()
	if err != nil {
		return "", "", err
	}
	defer one.Close()
	return one.ConnectedServerId(), one.ConnectedServerName(), nil
}

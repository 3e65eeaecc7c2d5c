package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// patience is how long a cluster may take to answer.
const patience = 60 * time.Second

// servers is the processes of one cluster.
type servers struct {
	directory string
	binary    string
	urls      string
	list      []*exec.Cmd
	conn      *natsengine.Conn
}

// serve is the main of a child: the linked server, with a configuration file.
func serve(file string) error {
	options, err := server.ProcessConfigFile(file)
	if err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	options.NoSigs = true
	s, err := server.NewServer(options)
	if err != nil {
		return fmt.Errorf("configure a server: %w", err)
	}
	s.ConfigureLogger()
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	go s.Start()
	<-ended
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}

// startServers makes the configuration files and starts the servers.
func startServers(p plan) (*servers, error) {
	directory, err := os.MkdirTemp("", "scaffoldwatch-crash-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	s := &servers{directory: directory, binary: p.server, list: make([]*exec.Cmd, p.replicas)}
	addresses, err := freeAddresses(2 * p.replicas)
	if err != nil {
		return s, err
	}
	clients, peers := addresses[:p.replicas], addresses[p.replicas:]
	s.urls = "nats://" + strings.Join(clients, ",nats://")
	for i := range s.list {
		conf := fmt.Sprintf("server_name: n%d\nlisten: %q\njetstream { store_dir: %q, sync_interval: always }\nlog_file: %q\n",
			i, clients[i], filepath.Join(directory, fmt.Sprint("n", i)), s.log(i))
		if p.replicas > 1 {
			conf += fmt.Sprintf("cluster { name: crash, listen: %q, routes: [\"nats://%s\"] }\n", peers[i], strings.Join(peers, `", "nats://`))
		}
		if err := os.WriteFile(s.conf(i), []byte(conf), 0o600); err != nil {
			return s, fmt.Errorf("write a configuration: %w", err)
		}
	}
	if err := s.startAll(); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *servers) conf(i int) string { return filepath.Join(s.directory, fmt.Sprintf("n%d.conf", i)) }

func (s *servers) log(i int) string { return filepath.Join(s.directory, fmt.Sprintf("n%d.log", i)) }

func (s *servers) start(i int) error {
	c := exec.Command(os.Args[0], "-child", s.conf(i))
	if s.binary != "" {
		c = exec.Command(s.binary, "-c", s.conf(i))
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("start a server: %w", err)
	}
	s.list[i] = c
	return nil
}

func (s *servers) startAll() error {
	var all error
	for i := range s.list {
		all = errors.Join(all, s.start(i))
	}
	return all
}

// killAll ends every server with -9 in the same moment.
func (s *servers) killAll() {
	for _, c := range s.list {
		if c != nil {
			_ = c.Process.Kill()
		}
	}
	for _, c := range s.list {
		if c != nil {
			_ = c.Wait()
		}
	}
}

// restart stops a server the way an operator does and starts it again.
func (s *servers) restart(i int) error {
	_ = s.list[i].Process.Signal(syscall.SIGTERM)
	_ = s.list[i].Wait()
	return s.start(i)
}

func (s *servers) stop() {
	if s.conn != nil {
		s.conn.Close()
	}
	s.killAll()
	_ = os.RemoveAll(s.directory)
}

// count returns how often a text is in the servers' logs.
func (s *servers) count(text string) int {
	n := 0
	for i := range s.list {
		if log, err := os.ReadFile(s.log(i)); err == nil {
			n += strings.Count(string(log), text)
		}
	}
	return n
}

// retry does something until it succeeds, or patience ends.
func (s *servers) retry(ctx context.Context, do func(context.Context, jetstream.JetStream) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if s.conn == nil {
		conn, err := natsengine.Connect(ctx, natsengine.ConnectOptions{URL: s.urls, Name: "crash"})
		if err != nil {
			return err
		}
		s.conn = conn
	}
	js, err := natsengine.JetStream(s.conn)
	if err != nil {
		return err
	}
	for {
		attempt, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := do(attempt, js)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// freeAddresses returns addresses on which nothing listens.
func freeAddresses(count int) (addresses []string, err error) {
	for range count {
		one, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer func() { _ = one.Close() }() // all at once, so that no port comes twice
		addresses = append(addresses, one.Addr().String())
	}
	return addresses, nil
}

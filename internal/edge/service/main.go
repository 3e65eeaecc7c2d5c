package service

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/httpapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
)

// Exit codes of a service.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// Main is the main function of a service's binary. It returns the exit code: 0 after SIGTERM or SIGINT and
// a drain, 1 for a failure, 2 for wrong flags or configuration.
func Main(s Service, args, environ []string, out, errOut io.Writer) int {
	name, command := s.Name, (*Command)(nil)
	if len(args) > 0 {
		if c, is := s.Commands[args[0]]; is {
			name, command, args = s.Name+" "+args[0], &c, args[1:]
		}
	}
	ready, args := asksReady(args)
	settings, version, err := readSettings(s, args, environ, out)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		fmt.Fprintf(errOut, "%s: %v\n%s: see %s --help\n", s.Name, err, s.Name, s.Name)
		return exitUsage
	case version:
		fmt.Fprintln(out, s.Name, buildinfo.Version())
		return exitDone
	case ready:
		return answerReady(s, settings, out, errOut)
	}
	log, adjust, err := obs.AdjustableLogger(errOut, settings.Log.Level, settings.Log.Format, s.Name)
	if err != nil {
		fmt.Fprintf(errOut, "%s: %v\n", s.Name, err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if command != nil {
		if err := command.Run(ctx, settings, log, out); err != nil {
			fmt.Fprintf(errOut, "%s: %v\n", name, err)
			return exitFailed
		}
		return exitDone
	}
	signals, ignore := hangups()
	defer ignore()
	read := func() (config.Config, error) {
		next, _, err := readSettings(s, args, environ, out)
		return next, err
	}
	reload := &reloader{log: log, now: settings, files: stamps(settings), adjust: adjust, read: read}
	go reload.run(ctx, signals)
	log.Info("starting", "version", buildinfo.Version(), "nats", settings.NATS.URL)
	err = Run(ctx, Options{
		Services: []Service{s}, Config: settings, Log: log, AnyPort: settings.HTTP.Address == s.Address,
		Ready: func(string) { log.Info("running") },
	})
	if err != nil {
		log.Error("stopped", "error", err)
		return exitFailed
	}
	log.Info("drained and stopped")
	return exitDone
}

// asksReady removes --ready from the arguments and reports whether it was present.
func asksReady(args []string) (asked bool, others []string) {
	others = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--ready" || arg == "-ready" })
	return len(others) < len(args), others
}

// answerReady queries the health of the service that runs here with these settings: it is what container
// health checks call.
func answerReady(s Service, c config.Config, out, errOut io.Writer) int {
	err := httpapi.Ready(context.Background(), httpapi.Options{Address: c.HTTP.Address, TLSCert: c.HTTP.TLSCert})
	if err != nil {
		fmt.Fprintf(errOut, "%s: %v\n", s.Name, err)
		return exitFailed
	}
	fmt.Fprintln(out, s.Name, "is ready")
	return exitDone
}

// readSettings reads flags, environment and file. Every setting has a flag: nats.url is --nats-url.
func readSettings(s Service, args, environ []string, out io.Writer) (c config.Config, version bool, err error) {
	flags := flag.NewFlagSet(s.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	file := flags.String("config", variable(environ, config.EnvPrefix+"CONFIG"), "configuration file (YAML); SCAFFOLDWATCH_CONFIG")
	flags.BoolVar(&version, "version", false, "print the version")
	values := map[string]*string{}
	for _, key := range config.Keys() {
		values[key] = flags.String(config.FlagName(key), "", key)
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			help(s, out)
		}
		return c, false, err
	}
	if flags.NArg() > 0 {
		return c, false, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	given := map[string]string{}
	flags.Visit(func(f *flag.Flag) {
		for key, value := range values {
			if f.Name == config.FlagName(key) {
				given[key] = *value
			}
		}
	})
	c, err = config.Load(config.Sources{Defaults: map[string]string{"http.address": s.Address}, File: *file, Environ: environ, Flags: given})
	return c, version, err
}

func help(s Service, out io.Writer) {
	name := s.Name
	fmt.Fprintf(out, "%s %s.\n\nUsage: %s [--config FILE] [--SETTING VALUE …]\n", name, s.Does, name)
	for _, first := range slices.Sorted(maps.Keys(s.Commands)) {
		fmt.Fprintf(out, "       %s %s %s\n", name, first, s.Commands[first].Usage)
	}
	fmt.Fprintf(out, "       %s --ready [--config FILE] checks the service that runs here; exit code 0: it is ready\n", name)
	fmt.Fprintf(out, `
Settings come from the file, then the environment, then flags; the last one wins.
Run as many instances as you like: they share the partitions. SIGTERM drains; SIGHUP
reads the settings again: the log level changes at once, others and the files that
they name at the next start.

Examples:
  %s --nats-url nats://nats-1:4222
  %s --config /etc/scaffoldwatch/scaffoldwatch.yaml --http-address 127.0.0.1:8431
  SCAFFOLDWATCH_LOG_LEVEL=debug %s

Settings, each also a variable (SCAFFOLDWATCH_ and the name in capitals):
`, name, name, name)
	for _, key := range config.Keys() {
		fmt.Fprintf(out, "  --%s\n", config.FlagName(key))
	}
	fmt.Fprintln(out, "\ndocs/operations.md describes each setting.")
}

// variable returns the value of an environment variable.
func variable(environ []string, name string) string {
	for _, entry := range environ {
		if len(entry) > len(name) && entry[:len(name)] == name && entry[len(name)] == '=' {
			return entry[len(name)+1:]
		}
	}
	return ""
}

// reloader reads the settings again on SIGHUP. Only the log level changes immediately: all other settings,
// and the files that they name, are part of connections, streams and machines in use, so they take effect at
// the next start, and the log names them.
type reloader struct {
	log    *slog.Logger
	now    config.Config
	files  map[string]stamp // content of the files that now names, by key
	read   func() (config.Config, error)
	adjust func(level string) error
}

// stamp stands for the content of a file, the zero value for one that cannot be read.
type stamp [sha256.Size]byte

// stamps returns the content of the files that a configuration names.
func stamps(c config.Config) map[string]stamp {
	all := map[string]stamp{}
	for key, name := range config.Files(c) {
		all[key] = stamp{}
		if data, err := os.ReadFile(name); err == nil { //nolint:gosec // named by the operator
			all[key] = sha256.Sum256(data)
		}
	}
	return all
}

// run reloads on each SIGHUP until ctx ends. The caller has already registered signals.
func (r *reloader) run(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			r.reload()
		}
	}
}

func (r *reloader) reload() {
	next, err := r.read()
	if err == nil {
		err = r.adjust(next.Log.Level)
	}
	if err != nil {
		r.log.Error("the configuration was not reloaded; the current one stays in effect", "error", err)
		return
	}
	later := slices.DeleteFunc(config.Changed(r.now, next), func(key string) bool { return key == "log.level" })
	for key, content := range stamps(next) {
		if before, named := r.files[key]; named && content != before && !slices.Contains(later, key) {
			later = append(later, key)
		}
	}
	slices.Sort(later)
	r.log.Warn("the configuration was reloaded", "log.level", next.Log.Level, "needs a restart", later)
}

// hangups returns a channel for SIGHUP and a function that stops the delivery.
func hangups() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	return signals, func() { signal.Stop(signals) }
}

package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
)

// Exit codes of a service.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// serviceDoes says in a line what each service is for.
var serviceDoes = map[string]string{
	"ingest":     "checks and numbers turns, replaces secrets, cuts turns into segments: INPUT → SEGMENTS",
	"evaluator":  "keeps what each session did and runs the detectors: SEGMENTS → SIGNALS",
	"dispatcher": "owns the interrupt budget and decides what is said, and when: SIGNALS → DECISIONS",
	Reporter:     "lists, reports and the live feed over HTTP, from DECISIONS",
}

// alsoDoes are further ways to call a service's binary, a line each.
var alsoDoes = map[string]string{
	Reporter: "       reporter rebuild [--config FILE] …  empties the read model (reports.database) and fills it from DECISIONS\n",
}

// ServiceMain is the main function of a service's binary; it returns the exit
// code: 0 after SIGTERM or SIGINT and a drain, 1 for a failure, 2 for a mistake
// in flags or configuration.
func ServiceMain(name string, args, environ []string, out, errOut io.Writer) int {
	rebuilds := name == Reporter && len(args) > 0 && args[0] == "rebuild"
	if rebuilds {
		args = args[1:]
	}
	settings, version, err := serviceSettings(name, args, environ, out)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		fmt.Fprintf(errOut, "%s: %v\n%s: see %s --help\n", name, err, name, name)
		return exitUsage
	case version:
		fmt.Fprintln(out, name, Version())
		return exitDone
	}
	log, err := obs.Logger(errOut, settings.Log.Level, settings.Log.Format, name)
	if err != nil {
		fmt.Fprintf(errOut, "%s: %v\n", name, err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if rebuilds {
		if err := rebuild(ctx, settings, log, out); err != nil {
			fmt.Fprintf(errOut, "%s rebuild: %v\n", name, err)
			return exitFailed
		}
		return exitDone
	}
	log.Info("starting", "version", Version(), "nats", settings.NATS.URL)
	err = RunServices(ctx, ServiceOptions{
		Names: []string{name}, Config: settings, Log: log,
		Ready: func(string) { log.Info("running") },
	})
	if err != nil {
		log.Error("stopped", "error", err)
		return exitFailed
	}
	log.Info("drained and stopped")
	return exitDone
}

// serviceSettings reads flags, environment and file. Every setting is a flag:
// nats.url is --nats-url.
func serviceSettings(name string, args, environ []string, out io.Writer) (c config.Config, version bool, err error) {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	file := flags.String("config", variable(environ, config.EnvPrefix+"CONFIG"), "configuration file (YAML); SCAFFOLDWATCH_CONFIG")
	flags.BoolVar(&version, "version", false, "print the version")
	values := map[string]*string{}
	for _, key := range config.Keys() {
		values[key] = flags.String(config.FlagName(key), "", key)
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			serviceHelp(name, out)
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
	c, err = config.Load(config.Sources{File: *file, Environ: environ, Flags: given})
	return c, version, err
}

func serviceHelp(name string, out io.Writer) {
	fmt.Fprintf(out, `%s %s.

Usage: %s [--config FILE] [--SETTING VALUE …]
%s
Settings come from the file, then the environment, then flags; the last one wins.
Run as many instances as you like: they share the partitions. SIGTERM drains.

Examples:
  %s --nats-url nats://nats-1:4222
  %s --config /etc/scaffoldwatch/scaffoldwatch.yaml --http-address 127.0.0.1:8431
  SCAFFOLDWATCH_LOG_LEVEL=debug %s

Settings, each also a variable (SCAFFOLDWATCH_ and the name in capitals):
`, name, serviceDoes[name], name, alsoDoes[name], name, name, name)
	for _, key := range config.Keys() {
		fmt.Fprintf(out, "  --%s\n", config.FlagName(key))
	}
	fmt.Fprintln(out, "\ndocs/operations.md says what each takes.")
}

// variable reads one variable of an environment.
func variable(environ []string, name string) string {
	for _, entry := range environ {
		if len(entry) > len(name) && entry[:len(name)] == name && entry[len(name)] == '=' {
			return entry[len(name)+1:]
		}
	}
	return ""
}

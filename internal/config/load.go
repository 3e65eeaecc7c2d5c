package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	koanfyaml "github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
)

// EnvPrefix starts every environment variable: SCAFFOLDWATCH_NATS_URL sets nats.url.
const EnvPrefix = "SCAFFOLDWATCH_"

// Sources are the sources of values, lowest precedence first.
type Sources struct {
	Defaults map[string]string // dotted key → value that a command prefers to Default
	File     string            // path of the YAML file; "" for none
	Environ  []string          // os.Environ()
	Flags    map[string]string // dotted key → value
}

// Load merges the sources over Default and checks the result.
func Load(s Sources) (Config, error) {
	origins := map[string]string{}
	values := koanf.New(".")
	for key, value := range s.Defaults {
		if err := set(values, key, value); err != nil {
			return Config{}, err
		}
	}
	if s.File != "" {
		if err := loadFile(values, s.File, origins); err != nil {
			return Config{}, err
		}
	}
	if err := loadEnvironment(values, s.Environ, origins); err != nil {
		return Config{}, err
	}
	for key, value := range s.Flags {
		origins[key] = "--" + FlagName(key)
		if err := set(values, key, value); err != nil {
			return Config{}, err
		}
	}
	config := Default()
	if err := decode(values, &config, origins); err != nil {
		return Config{}, err
	}
	if err := validate(config, origins); err != nil {
		return Config{}, err
	}
	return config, nil
}

// FlagName returns the flag of a service for a setting: nats.url is --nats-url.
func FlagName(key string) string { return strings.NewReplacer(".", "-", "_", "-").Replace(key) }

func loadFile(values *koanf.Koanf, path string, origins map[string]string) error {
	data, err := read(path)
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	if err := checkFile(path, data, origins); err != nil {
		return err
	}
	if err := values.Load(rawbytes.Provider(data), koanfyaml.Parser()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// maxFile limits the size of the configuration file, in bytes.
const maxFile = 1 << 20

func read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s has over %d bytes", path, maxFile)
	}
	return data, err
}

func loadEnvironment(values *koanf.Koanf, environ []string, origins map[string]string) error {
	byVariable := map[string]string{}
	for _, key := range Keys() {
		byVariable[EnvPrefix+strings.ToUpper(strings.ReplaceAll(key, ".", "_"))] = key
	}
	var problems []error
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, EnvPrefix) || reserved(name) {
			continue
		}
		key, ok := byVariable[name]
		if !ok {
			problems = append(problems, fmt.Errorf("environment: unknown setting %s; %s", name, cure(name, sortedKeys(byVariable))))
			continue
		}
		origins[key] = name
		if err := set(values, key, value); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// reserved reports whether a variable is ours without being a setting.
func reserved(name string) bool {
	switch strings.TrimPrefix(name, EnvPrefix) {
	case "CONFIG", "DATA", "CHAOS", "BENCH":
		return true
	}
	return strings.HasPrefix(name, EnvPrefix+"TEST_") || strings.HasPrefix(name, EnvPrefix+"HOOK_")
}

func set(values *koanf.Koanf, key, value string) error {
	var v any = value
	if key == "security.trusted_keys" || key == "security.revoked_keys" || key == "reports.formats" || key == "http.hosts" {
		v = strings.Fields(strings.ReplaceAll(value, ",", " "))
	}
	if err := values.Load(confmap.Provider(map[string]any{key: v}, "."), nil); err != nil {
		return fmt.Errorf("set %s: %w", key, err)
	}
	return nil
}

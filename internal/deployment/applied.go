package deployment

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Applied is what a configuration hash stands for (AU-12): the complete rules, and the part of the
// fingerprint key that the hash covers.
type Applied struct {
	Form         int          `json:"form"` // 1
	RulesVersion string       `json:"rules_version"`
	ConfigHash   string       `json:"config_hash"`
	KeyMark      string       `json:"key_mark"`
	Rules        rules.Record `json:"rules"`
	set          *rules.Set
}

// maxApplied limits the size of the decoded form.
const maxApplied = 64 << 20

// Applied returns the content of the options' configuration hash.
func (o Options) Applied() Applied {
	id := o.Identity()
	return Applied{
		Form: 1, RulesVersion: id.RulesVersion, ConfigHash: id.ConfigHash, KeyMark: o.keyMark(), Rules: o.Rules.Record(), set: o.Rules,
	}
}

// Encode returns the stored form.
func (a Applied) Encode() ([]byte, error) {
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	err := json.NewEncoder(packed).Encode(a)
	if err = errors.Join(err, packed.Close()); err != nil {
		return nil, fmt.Errorf("encode the rules of configuration %s: %w", a.ConfigHash, err)
	}
	return out.Bytes(), nil
}

// DecodeApplied decodes what is stored under a configuration hash. It computes the hash again and fails if
// the content does not match.
func DecodeApplied(hash string, data []byte) (a Applied, err error) {
	if a, err = openApplied(hash, data); err == nil {
		a.set, err = a.Rules.Load()
	}
	if err != nil {
		return Applied{}, fmt.Errorf("read the rules of configuration %s: %w", hash, err)
	}
	return a, nil
}

// CheckApplied returns an error unless what is stored under a configuration hash matches it. It also
// accepts rules that this build cannot use.
func CheckApplied(hash string, data []byte) error {
	_, err := openApplied(hash, data)
	return err
}

func openApplied(hash string, data []byte) (Applied, error) {
	fail := func(err error) (Applied, error) { return Applied{}, err }
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return fail(err)
	}
	text, err := io.ReadAll(io.LimitReader(unpacked, maxApplied+1))
	if err != nil {
		return fail(err)
	}
	if len(text) > maxApplied {
		return fail(fmt.Errorf("over %d bytes", maxApplied))
	}
	var a Applied
	if err := json.Unmarshal(text, &a); err != nil {
		return fail(err)
	}
	if a.Form != 1 {
		return fail(fmt.Errorf("of form %d; this build reads form 1", a.Form))
	}
	if found := configHash(a.Rules.Hash(), a.KeyMark); found != hash || a.ConfigHash != hash {
		return fail(fmt.Errorf("the content is of configuration %s: it was edited or stored by somebody else", found))
	}
	return a, nil
}

// Set returns the rules.
func (a Applied) Set() *rules.Set { return a.set }

// Changes describes on one line how one configuration differs from another: each setting with its value
// before and after, at most most of them.
func (a Applied) Changes(to Applied, most int) (string, error) {
	differences, err := rules.Differences(a.set, to.set)
	if err != nil {
		return "", err
	}
	var parts []string
	for i, d := range differences {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more settings", len(differences)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s → %s", d.Path, short(d.Was), short(d.Is)))
	}
	if a.KeyMark != to.KeyMark {
		parts = append(parts, "another fingerprint key")
	}
	if a.RulesVersion != to.RulesVersion {
		parts = append(parts, fmt.Sprintf("rules version %s → %s", a.RulesVersion, to.RulesVersion))
	}
	if len(parts) == 0 {
		return "no setting, only the notation of the rules", nil
	}
	return strings.Join(parts, ", "), nil
}

// short shortens a value that is a long list.
func short(value string) string {
	return cmp.Or(text.Short(text.Line(value), 60), "(not set)")
}

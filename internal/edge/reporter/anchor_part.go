package reporter

import (
	"fmt"
	"net/http"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
)

// webhookPatience limits how long the anchors' webhook may take.
const webhookPatience = 10 * time.Second

// anchoring returns the part that writes anchors; ok is false if none are configured or no key is set to
// sign them.
func anchoring(p *service.Process) (part service.Part, ok bool, err error) {
	settings := p.Config.Audit
	if settings.AnchorEvery == 0 || settings.Anchors == "" && settings.AnchorWebhook == "" && settings.AnchorGit == "" {
		return part, false, nil
	}
	keys, err := link.Keys(p.Config.Security)
	if err != nil {
		return part, false, err
	}
	if keys.Own == nil {
		p.Log.Info("no anchors are written: security.signing_seed, which signs them, is not set")
		return part, false, nil
	}
	signer, err := chain.Signer(keys.Own)
	if err != nil {
		return part, false, fmt.Errorf("sign anchors: %w", err)
	}
	a := &anchors{settings: settings, signer: signer, log: p.Log, client: &http.Client{Timeout: webhookPatience}, failures: obs.AnchorFailures(p.Metrics)}
	return service.Part{Run: a.run}, true, nil
}

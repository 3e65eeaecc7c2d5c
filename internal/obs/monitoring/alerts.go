// Package monitoring generates the alert rules for Prometheus and the dashboard for Grafana from the
// catalogue of metrics, so that neither refers to a metric that does not exist.
package monitoring

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
)

// Alert is one rule. Its name is a heading of docs/runbook.md.
type Alert struct {
	Name, Expr, For, Severity, Summary string
}

// Alerts returns all rules, most urgent first.
func Alerts() []Alert {
	const critical, warning = "critical", "warning"
	nearlyFull := fmt.Sprintf(
		`scaffoldwatch_stream_bytes / (scaffoldwatch_stream_max_bytes > 0) > %g`, vitals.NearlyFull,
	)
	diskLow := fmt.Sprintf(
		`scaffoldwatch_disk_free_bytes / scaffoldwatch_disk_size_bytes < %g and scaffoldwatch_disk_free_bytes < %d`,
		vitals.LowShare, vitals.LowBytes,
	)
	return []Alert{
		{"ScaffoldwatchAbsent", `absent(scaffoldwatch_build_info)`, "5m", critical, "No service reports metrics."},
		{"ScaffoldwatchNotReady", `scaffoldwatch_ready == 0`, "1m", critical, "{{ $labels.instance }} is not ready; its /readyz says why."},
		{"ScaffoldwatchNoLeader", `scaffoldwatch_stream_leader == 0`, "1m", critical, "{{ $labels.stream }} cannot be read or written."},
		{"ScaffoldwatchReplicaBehind", `scaffoldwatch_stream_replicas_current < scaffoldwatch_stream_replicas`, "5m", warning, "{{ $labels.stream }} has a replica that is not current."},
		{"ScaffoldwatchSettings", `scaffoldwatch_faults{kind=~"wrong_replicas|wrong_compression|clock_off"} == 1`, "15m", warning, "{{ $labels.kind }} {{ $labels.stream }}"},
		{
			"ScaffoldwatchStreamNearlyFull", nearlyFull, "10m", warning,
			"{{ $labels.stream }} is at {{ $value | humanizePercentage }} of its size.",
		},
		{"ScaffoldwatchDiskLow", diskLow, "10m", warning, "{{ $value | humanizePercentage }} of the disk is free."},
		{"ScaffoldwatchMessagesSkipped", `increase(scaffoldwatch_skipped_messages_total[10m]) > 0`, "0m", critical, "A message of {{ $labels.stream }} was not accepted: {{ $labels.reason }}."},
		{"ScaffoldwatchLag", `scaffoldwatch_lag_seconds > 60`, "5m", warning, "Input of {{ $labels.stage }} has waited for {{ $value | humanizeDuration }}."},
		{"ScaffoldwatchCommitsFail", `increase(scaffoldwatch_commits_total{result="failed"}[10m]) > 20`, "5m", warning, "Commits of {{ $labels.stage }} fail again and again."},
		{"ScaffoldwatchDeadLetters", `increase(scaffoldwatch_dead_letters_total[10m]) > 0`, "0m", warning, "{{ $labels.stage }} skipped inputs: {{ $labels.reason }}."},
		{"ScaffoldwatchEventsRefused", `increase(scaffoldwatch_refused_events_total[10m]) > 0`, "0m", warning, "Events of type {{ $labels.type }} are rejected and not watched: {{ $labels.code }}."},
		{"ScaffoldwatchHooksFail", `increase(scaffoldwatch_hook_failures_total[10m]) > 0`, "5m", warning, "Hook calls of {{ $labels.agent }} are not recorded."},
		{"ScaffoldwatchHooksSlow", `histogram_quantile(0.99, sum by (le) (rate(scaffoldwatch_hook_seconds_bucket[10m]))) > 0.5`, "15m", warning, "Agents wait {{ $value | humanizeDuration }} for the answer to a hook."},
		{"ScaffoldwatchAnchorsFail", `increase(scaffoldwatch_anchor_failures_total[2h]) > 0`, "0m", warning, "An anchor was not written everywhere."},
		{"ScaffoldwatchStatesEvicted", `increase(scaffoldwatch_evicted_states_total[1h]) > 1000`, "1h", warning, "{{ $labels.stage }} has too little memory for its states."},
	}
}

// Rules returns the file of alert rules.
func Rules() []byte {
	var b strings.Builder
	b.WriteString("# Alert rules for Prometheus, made from internal/obs/monitoring by `make golden`;\n# docs/runbook.md describes what to do about each.\ngroups:\n  - name: scaffoldwatch\n    rules:\n")
	for _, a := range Alerts() {
		fmt.Fprintf(&b, "      - alert: %s\n        expr: '%s'\n        for: %s\n        labels:\n          severity: %s\n        annotations:\n          summary: %q\n          runbook: docs/runbook.md#%s\n",
			a.Name, strings.ReplaceAll(a.Expr, "'", "''"), a.For, a.Severity, a.Summary, strings.ToLower(a.Name))
	}
	return []byte(b.String())
}

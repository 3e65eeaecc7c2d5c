{{/* Names begin with the release's; the certificates of prepare.sh are for a release called scaffoldwatch. */}}
{{- define "sw.labels" -}}
app.kubernetes.io/name: scaffoldwatch
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{/* The same labels on one line. */}}
{{- define "sw.match" -}}
{app.kubernetes.io/name: scaffoldwatch, app.kubernetes.io/instance: {{ .root.Release.Name }}, app.kubernetes.io/component: {{ .name }}}
{{- end }}

{{- define "sw.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "sw.pod-security" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "sw.container-security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "sw.nats-url" -}}
{{- if .Values.nats.enabled -}}
{{- $name := .Release.Name -}}
nats://{{ $name }}-nats-0.{{ $name }}-nats:4222,nats://{{ $name }}-nats-1.{{ $name }}-nats:4222,nats://{{ $name }}-nats-2.{{ $name }}-nats:4222
{{- else -}}
{{ .Values.nats.url }}
{{- end -}}
{{- end }}

{{/* Environment of whatever talks to the broker. */}}
{{- define "sw.broker-env" -}}
- {name: SCAFFOLDWATCH_NATS_URL, value: {{ include "sw.nats-url" .root | quote }}}
- {name: SCAFFOLDWATCH_NATS_TLS_CA, value: /etc/scaffoldwatch/nats-ca.pem}
- {name: SCAFFOLDWATCH_NATS_USER, value: {{ .user | quote }}}
- {name: SCAFFOLDWATCH_NATS_PASSWORD, valueFrom: {secretKeyRef: {name: {{ .root.Values.environmentSecret }}, key: {{ upper .user }}_PASSWORD}}}
- {name: SCAFFOLDWATCH_STREAMS_PARTITIONS, value: {{ .root.Values.streams.partitions | quote }}}
- {name: SCAFFOLDWATCH_STREAMS_REPLICAS, value: {{ .root.Values.streams.replicas | quote }}}
{{- range $name, $value := .root.Values.extraEnv }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}

{{/* The pod of a service: .root, .name, .port, .values, .data (a volume to keep things in). */}}
{{- define "sw.pod" -}}
metadata:
  labels: {{- include "sw.labels" . | nindent 4 }}
  annotations: {prometheus.io/scrape: "true", prometheus.io/scheme: https, prometheus.io/port: {{ .port | quote }}}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 30
  securityContext: {{- include "sw.pod-security" . | nindent 4 }}
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector: {matchLabels: {{ include "sw.match" . }}}
  containers:
    - name: {{ .name }}
      image: {{ include "sw.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command: [/usr/bin/{{ .name }}]
      securityContext: {{- include "sw.container-security" . | nindent 8 }}
      env:
        {{- include "sw.broker-env" (dict "root" .root "user" .name) | nindent 8 }}
        {{- range list "SCAFFOLDWATCH_SECURITY_TRUSTED_KEYS" "SCAFFOLDWATCH_HTTP_TOKEN" }}
        - {name: {{ . }}, valueFrom: {secretKeyRef: {name: {{ $.root.Values.environmentSecret }}, key: {{ . }}}}}
        {{- end }}
        - {name: SCAFFOLDWATCH_SECURITY_SIGNING_SEED, value: /etc/scaffoldwatch/{{ .name }}.seed}
        - {name: SCAFFOLDWATCH_HTTP_ADDRESS, value: "0.0.0.0:{{ .port }}"}
        - {name: SCAFFOLDWATCH_HTTP_TLS_CERT, value: /etc/scaffoldwatch/http.pem}
        - {name: SCAFFOLDWATCH_HTTP_TLS_KEY, value: /etc/scaffoldwatch/http.key}
        {{- if eq .name "ingest" }}
        - {name: SCAFFOLDWATCH_HOOKS_TOKENS, value: /etc/scaffoldwatch/hooks}
        {{- end }}
        {{- if .data }}
        - {name: SCAFFOLDWATCH_REPORTS_DATABASE, value: /data/reports.db}
        - {name: SCAFFOLDWATCH_NOTIFY_OUTBOX, value: /data/notify.json}
        - {name: SCAFFOLDWATCH_AUDIT_ANCHORS, value: /data/anchors}
        {{- end }}
      ports: [{name: https, containerPort: {{ .port }}}]
      startupProbe: {httpGet: {path: /livez, port: https, scheme: HTTPS}, periodSeconds: 2, failureThreshold: 60}
      livenessProbe: {httpGet: {path: /livez, port: https, scheme: HTTPS}, periodSeconds: 10}
      readinessProbe: {httpGet: {path: /readyz, port: https, scheme: HTTPS}, periodSeconds: 5}
      resources: {{- toYaml .values.resources | nindent 8 }}
      volumeMounts:
        - {name: files, mountPath: /etc/scaffoldwatch, readOnly: true}
        - {name: tmp, mountPath: /tmp}
        {{- if .data }}
        - {name: data, mountPath: /data}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {sizeLimit: 1Gi}
    - name: files
      secret:
        secretName: {{ .root.Values.secret }}
        defaultMode: 0440
        items:
          {{- range list "nats-ca.pem" "http.pem" "http.key" (printf "%s.seed" .name) }}
          - {key: {{ . }}, path: {{ . }}}
          {{- end }}
          {{- if eq .name "ingest" }}
          {{- range list "claude-code" "codex" "copilot" "gemini" "cursor" }}
          - {key: {{ . }}.token, path: hooks/{{ . }}.token}
          {{- end }}
          {{- end }}
    {{- if .data }}
    - name: data
      persistentVolumeClaim: {claimName: {{ .data }}}
    {{- end }}
{{- end }}

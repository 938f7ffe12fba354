{{- define "ea.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Short enough for "-collector-0" and the hash of a revision behind it. */}}
{{- define "ea.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "ea.name" . -}}
{{- if contains $name .Release.Name -}}{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Called with (list . "cell"), the component. */}}
{{- define "ea.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "ea.name" $root }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "ea.labels" -}}
{{- $root := index . 0 -}}
{{ include "ea.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end -}}

{{- define "ea.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* The domain of the cells' pods. */}}
{{- define "ea.cellsDomain" -}}
{{ include "ea.fullname" . }}-cells.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}
{{- end -}}

{{/* The cells with their OTLP/gRPC ports, one a line: what the Collector's ring and the gateway's are made of. */}}
{{- define "ea.cellNames" -}}
{{- range $i := until (int .Values.cells.replicas) }}
{{ include "ea.fullname" $ }}-cell-{{ $i }}
{{- end }}
{{- end -}}

{{- define "ea.isTls" -}}
{{- if eq .Values.tls.mode "secret" }}true{{ end -}}
{{- end -}}

{{- define "ea.clientSecret" -}}
{{ .Values.tls.clientSecret | default .Values.tls.existingSecret }}
{{- end -}}

{{/* The setting "tls" of cells and gateways. Called with (list . "cell"). */}}
{{- define "ea.tls" -}}
{{- $root := index . 0 -}}
{{- if include "ea.isTls" $root -}}
{{- $tls := dict "certFile" "/tls/tls.crt" "keyFile" "/tls/tls.key" -}}
{{- if and (eq (index . 1) "cell") $root.Values.tls.gatewayName -}}
{{- $clients := dict $root.Values.tls.gatewayName (dict "roles" (list "gateway")) -}}
{{- $tls = merge $tls (dict "caFile" "/tls/ca.crt" "clientCertificates" "optional" "clients" $clients) -}}
{{- end -}}
{{- $tls | toJson -}}
{{- else -}}
terminated
{{- end -}}
{{- end -}}

{{/* Cells take from a gateway for whom it asks by its certificate, or over loopback with its key; else it shows nothing. */}}
{{- define "ea.checkGateway" -}}
{{- if .Values.tls.sidecars -}}
{{- if and (ne .Values.auth.mode "none") (not .Values.auth.gatewayTokenKey) -}}
{{- fail "auth.gatewayTokenKey: with tls.sidecars, cells know a gateway by a token of its own: name its key in the Secret" -}}
{{- end -}}
{{- else if not (and (include "ea.isTls" .) .Values.tls.gatewayName) -}}
{{- fail "tls: cells take from a gateway for whom it asks by its certificate alone: set tls.mode=secret, tls.existingSecret and tls.gatewayName (docs/how-to/deploy.md makes them), or tls.sidecars=true in a mesh whose sidecars connect from 127.0.0.1" -}}
{{- end -}}
{{- end -}}

{{/* The setting "gateway". $(GATEWAY_TOKEN) is filled in by Kubernetes, from the Secret. */}}
{{- define "ea.gateway" -}}
{{- $domain := include "ea.cellsDomain" . -}}
{{- $gateway := dict "routeBy" .Values.gateway.routeBy -}}
{{- if eq .Values.gateway.discovery "srv" -}}
{{- $gateway = merge $gateway (dict "dns" (dict "name" (printf "_readers._tcp.%s" $domain) "type" "SRV")) -}}
{{- else -}}
{{- $cells := list -}}
{{- range $name := include "ea.cellNames" . | trim | splitList "\n" -}}
{{- $host := printf "%s.%s" $name $domain -}}
{{- $cells = append $cells (dict "name" $name "address" (printf "%s:9000" $host) "endpoint" (printf "%s:4317" $host)) -}}
{{- end -}}
{{- $gateway = merge $gateway (dict "cells" $cells) -}}
{{- end -}}
{{- if .Values.auth.gatewayTokenKey -}}
{{- $gateway = merge $gateway (dict "token" "$(GATEWAY_TOKEN)") -}}
{{- end -}}
{{- if include "ea.isTls" . -}}
{{- $gateway = merge $gateway (dict "tls" (dict "caFile" "/client-tls/ca.crt" "certFile" "/client-tls/tls.crt" "keyFile" "/client-tls/tls.key")) -}}
{{- end -}}
{{- $gateway | toJson -}}
{{- end -}}

{{/* Tokens as variables, and the setting "auth" made of them. Called with (list . "cell"). */}}
{{- define "ea.authEnv" -}}
{{- $component := index . 1 }}
{{- with index . 0 }}
{{- if eq .Values.auth.mode "token" }}
{{- $secret := required "auth.existingSecret: auth.mode token needs the name of a Secret with the token" .Values.auth.existingSecret }}
- name: EXPLAIN_TOKEN
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ .Values.auth.tokenKey }} } }
{{- $auth := dict "token" "$(EXPLAIN_TOKEN)" }}
{{- if .Values.auth.adminTokenKey }}
- name: EXPLAIN_ADMIN_TOKEN
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ .Values.auth.adminTokenKey }} } }
{{- $auth = merge $auth (dict "adminToken" "$(EXPLAIN_ADMIN_TOKEN)") }}
{{- end }}
{{- if and .Values.auth.gatewayTokenKey (eq $component "cell") }}
- name: GATEWAY_TOKEN
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ .Values.auth.gatewayTokenKey }} } }
{{- $auth = merge $auth (dict "gatewayToken" "$(GATEWAY_TOKEN)") }}
{{- end }}
- name: EXPLAINABILITY_AGENT_AUTH
  value: {{ $auth | toJson | squote }}
{{- else }}
- name: EXPLAINABILITY_AGENT_AUTH
  value: {{ .Values.auth.mode }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Ready is said by /readyz, which needs a token; without one, or one of that right, alive is enough. */}}
{{- define "ea.probes" -}}
{{- $scheme := ternary "HTTPS" "HTTP" (eq (include "ea.isTls" .) "true") -}}
# Restoring a large graph takes its time.
startupProbe:
  httpGet: { path: /healthz, port: readers, scheme: {{ $scheme }} }
  periodSeconds: 5
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: readers, scheme: {{ $scheme }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  exec:
    command:
      - node
      - -e
      - >-
        process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
        const headers = process.env.EXPLAIN_TOKEN ? { authorization: 'Bearer ' + process.env.EXPLAIN_TOKEN } : {};
        fetch('{{ $scheme | lower }}://127.0.0.1:9000/readyz', { headers, signal: AbortSignal.timeout(4000) })
        .then(({ status }) => process.exit([200, 401, 403].includes(status) ? 0 : 1), () => process.exit(1))
  periodSeconds: 15
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}

{{- define "ea.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "ea.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Called with (list . "cell" "preferred"). */}}
{{- define "ea.affinity" -}}
{{- $root := index . 0 -}}
{{- $how := index . 2 -}}
{{- if ne $how "none" }}
affinity:
  podAntiAffinity:
    {{- if eq $how "required" }}
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "ea.selector" (list $root (index . 1)) | nindent 12 }}
    {{- else }}
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "ea.selector" (list $root (index . 1)) | nindent 14 }}
    {{- end }}
{{- end }}
{{- end -}}

{{/* What a pod has of its values. */}}
{{- define "ea.scheduling" -}}
# A Service named explainability-agent would else be taken for settings: EXPLAINABILITY_AGENT_PORT=tcp://…
enableServiceLinks: false
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

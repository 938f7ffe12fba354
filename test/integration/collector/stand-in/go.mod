// Its versions are those of config/otel-collector/builder.yaml.
module explainability-agent/standin

go 1.26.0

require (
	go.opentelemetry.io/collector/component v1.68.0
	go.opentelemetry.io/collector/config/configoptional v1.68.0
	go.opentelemetry.io/collector/config/configretry v1.68.0
	go.opentelemetry.io/collector/consumer v1.68.0
	go.opentelemetry.io/collector/exporter v1.68.0
	go.opentelemetry.io/collector/exporter/exporterhelper v0.162.0
	go.opentelemetry.io/collector/exporter/otlpexporter v0.162.0
	go.opentelemetry.io/collector/pdata v1.68.0
)

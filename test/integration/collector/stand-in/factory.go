package standin

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/otlpexporter"
)

var kind = component.MustNewType("load_balancing")

// NewFactory is what the Collector's builder looks for.
func NewFactory() exporter.Factory {
	return exporter.NewFactory(kind, defaultConfig,
		exporter.WithTraces(newTraces, component.StabilityLevelDevelopment),
		exporter.WithLogs(newLogs, component.StabilityLevelDevelopment),
		exporter.WithMetrics(newMetrics, component.StabilityLevelDevelopment),
	)
}

func defaultConfig() component.Config {
	otlp := otlpexporter.NewFactory().CreateDefaultConfig().(*otlpexporter.Config)
	// Each cell's takes its place.
	otlp.ClientConfig.Endpoint = "placeholder:4317"
	return &Config{
		Timeout:  exporterhelper.NewDefaultTimeoutConfig(),
		Queue:    configoptional.Default(exporterhelper.NewDefaultQueueConfig()),
		Protocol: Protocol{OTLP: *otlp},
	}
}

func newTraces(ctx context.Context, set exporter.Settings, raw component.Config) (exporter.Traces, error) {
	c := raw.(*Config)
	cells := newCells(c, set, otlpexporter.NewFactory().CreateTraces)
	return exporterhelper.NewTraces(ctx, set, c, cells.pushTraces, options(c, cells)...)
}

func newLogs(ctx context.Context, set exporter.Settings, raw component.Config) (exporter.Logs, error) {
	c := raw.(*Config)
	cells := newCells(c, set, otlpexporter.NewFactory().CreateLogs)
	return exporterhelper.NewLogs(ctx, set, c, cells.pushLogs, options(c, cells)...)
}

func newMetrics(ctx context.Context, set exporter.Settings, raw component.Config) (exporter.Metrics, error) {
	c := raw.(*Config)
	cells := newCells(c, set, otlpexporter.NewFactory().CreateMetrics)
	return exporterhelper.NewMetrics(ctx, set, c, cells.pushMetrics, options(c, cells)...)
}

type lifecycle interface {
	start(context.Context, component.Host) error
	stop(context.Context) error
}

func options(c *Config, cells lifecycle) []exporterhelper.Option {
	return []exporterhelper.Option{
		exporterhelper.WithTimeout(c.Timeout),
		exporterhelper.WithRetry(c.Retry),
		exporterhelper.WithQueue(c.Queue),
		exporterhelper.WithStart(cells.start),
		exporterhelper.WithShutdown(cells.stop),
	}
}

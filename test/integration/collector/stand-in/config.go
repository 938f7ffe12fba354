// Package standin stands in for the Collector's load_balancing exporter where its module cannot be had: the same
// settings, with one OTLP exporter of the Collector for each cell behind one queue. It shares traces out by another
// function, and knows no Kubernetes.
package standin

import (
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/otlpexporter"
)

type Config struct {
	Timeout           exporterhelper.TimeoutConfig                             `mapstructure:",squash"`
	Retry             configretry.BackOffConfig                                `mapstructure:"retry_on_failure"`
	Queue             configoptional.Optional[exporterhelper.QueueBatchConfig] `mapstructure:"sending_queue"`
	Protocol          Protocol                                                 `mapstructure:"protocol"`
	Resolver          Resolver                                                 `mapstructure:"resolver"`
	RoutingKey        string                                                   `mapstructure:"routing_key"`
	RoutingAttributes []string                                                 `mapstructure:"routing_attributes"`
}

type Protocol struct {
	OTLP otlpexporter.Config `mapstructure:"otlp"`
}

type Resolver struct {
	Static *Static     `mapstructure:"static"`
	DNS    *DNS        `mapstructure:"dns"`
	K8s    *Kubernetes `mapstructure:"k8s"`
}

type Static struct {
	Hostnames []string `mapstructure:"hostnames"`
}

type DNS struct {
	Hostname string        `mapstructure:"hostname"`
	Port     string        `mapstructure:"port"`
	Interval time.Duration `mapstructure:"interval"`
	Timeout  time.Duration `mapstructure:"timeout"`
}

type Kubernetes struct {
	Service         string        `mapstructure:"service"`
	Ports           []int32       `mapstructure:"ports"`
	Timeout         time.Duration `mapstructure:"timeout"`
	ReturnHostnames bool          `mapstructure:"return_hostnames"`
}

// Validate refuses what the exporter refuses, when it is validated or when it starts.
func (c *Config) Validate() error {
	given := 0
	for _, isGiven := range []bool{c.Resolver.Static != nil, c.Resolver.DNS != nil, c.Resolver.K8s != nil} {
		if isGiven {
			given++
		}
	}
	if given != 1 {
		return fmt.Errorf("one resolver is needed, there are %d", given)
	}
	if s := c.Resolver.Static; s != nil && len(s.Hostnames) == 0 {
		return errors.New("resolver: static: hostnames: is empty")
	}
	if d := c.Resolver.DNS; d != nil && d.Hostname == "" {
		return errors.New("resolver: dns: hostname: is empty")
	}
	if k := c.Resolver.K8s; k != nil && k.Service == "" {
		return errors.New("resolver: k8s: service: is empty")
	}
	switch c.RoutingKey {
	case "", "traceID", "service", "resource":
	case "attributes":
		if len(c.RoutingAttributes) == 0 {
			return errors.New("routing_attributes: is empty")
		}
	default:
		return fmt.Errorf("routing_key: %q is not supported", c.RoutingKey)
	}
	return nil
}

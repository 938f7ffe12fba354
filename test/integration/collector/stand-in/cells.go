package standin

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter"
)

const (
	defaultPort     = "4317"
	defaultInterval = 5 * time.Second
	defaultTimeout  = time.Second
)

// cells has an OTLP exporter for each cell that the resolver names.
type cells[E component.Component] struct {
	config *Config
	set    exporter.Settings
	create func(context.Context, exporter.Settings, component.Config) (E, error)

	mu        sync.RWMutex
	host      component.Host
	endpoints []string
	exporters map[string]E
	ended     context.CancelFunc
	asking    sync.WaitGroup
}

func newCells[E component.Component](
	config *Config,
	set exporter.Settings,
	create func(context.Context, exporter.Settings, component.Config) (E, error),
) *cells[E] {
	return &cells[E]{config: config, set: set, create: create, exporters: map[string]E{}}
}

func (c *cells[E]) start(ctx context.Context, host component.Host) error {
	c.host = host
	switch r := c.config.Resolver; {
	case r.Static != nil:
		return c.take(ctx, r.Static.Hostnames)
	case r.DNS != nil:
		running, ended := context.WithCancel(context.Background())
		c.ended = ended
		c.asking.Go(func() { c.ask(running, r.DNS) })
		return nil
	default:
		return errors.New("the stand-in knows no Kubernetes")
	}
}

func (c *cells[E]) stop(ctx context.Context) error {
	if c.ended != nil {
		c.ended()
		c.asking.Wait()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs error
	for _, e := range c.exporters {
		errs = errors.Join(errs, e.Shutdown(ctx))
	}
	return errs
}

// ask asks for the addresses behind a name until it is stopped. What is known stays while there is no answer.
func (c *cells[E]) ask(ctx context.Context, dns *DNS) {
	interval, timeout, port := dns.Interval, dns.Timeout, dns.Port
	if interval == 0 {
		interval = defaultInterval
	}
	if timeout == 0 {
		timeout = defaultTimeout
	}
	if port == "" {
		port = defaultPort
	}
	for {
		limited, cancel := context.WithTimeout(ctx, timeout)
		found, err := net.DefaultResolver.LookupHost(limited, dns.Hostname)
		cancel()
		if err == nil {
			for i, address := range found {
				found[i] = net.JoinHostPort(address, port)
			}
			err = c.take(ctx, found)
		}
		if err != nil {
			c.set.Logger.Sugar().Warnw("the cells are not known", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(interval):
		}
	}
}

// take makes the exporters of new cells and ends those of cells that are gone.
func (c *cells[E]) take(ctx context.Context, endpoints []string) error {
	slices.Sort(endpoints)
	endpoints = slices.Compact(endpoints)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, endpoint := range endpoints {
		if _, isKnown := c.exporters[endpoint]; isKnown {
			continue
		}
		otlp := c.config.Protocol.OTLP
		otlp.ClientConfig.Endpoint = endpoint
		set := c.set
		set.ID = component.NewIDWithName(component.MustNewType("otlp_grpc"), c.set.ID.Name()+"_"+endpoint)
		e, err := c.create(ctx, set, &otlp)
		if err != nil {
			return err
		}
		if err := e.Start(ctx, c.host); err != nil {
			return err
		}
		c.exporters[endpoint] = e
	}
	for endpoint, e := range c.exporters {
		if !slices.Contains(endpoints, endpoint) {
			delete(c.exporters, endpoint)
			_ = e.Shutdown(ctx)
		}
	}
	c.endpoints = endpoints
	return nil
}

// cellOf names the cell that a key leads to.
func cellOf(endpoints []string, key []byte) string {
	hash := fnv.New32a()
	_, _ = hash.Write(key)
	return endpoints[int(hash.Sum32())%len(endpoints)]
}

func (c *cells[E]) exporter(endpoint string) (E, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, isKnown := c.exporters[endpoint]
	if !isKnown {
		return e, fmt.Errorf("the cell %s is gone", endpoint)
	}
	return e, nil
}

package standin

import (
	"context"
	"errors"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func (c *cells[E]) pushTraces(ctx context.Context, all ptrace.Traces) error {
	return each(c, func(isOf func(key []byte) bool, e E) error {
		part := ptrace.NewTraces()
		all.CopyTo(part)
		part.ResourceSpans().RemoveIf(func(r ptrace.ResourceSpans) bool {
			r.ScopeSpans().RemoveIf(func(s ptrace.ScopeSpans) bool {
				s.Spans().RemoveIf(func(span ptrace.Span) bool {
					return !isOf(c.key(span.TraceID(), r.Resource(), span.Attributes()))
				})
				return s.Spans().Len() == 0
			})
			return r.ScopeSpans().Len() == 0
		})
		if part.SpanCount() == 0 {
			return nil
		}
		return any(e).(exporter.Traces).ConsumeTraces(ctx, part)
	})
}

func (c *cells[E]) pushLogs(ctx context.Context, all plog.Logs) error {
	return each(c, func(isOf func(key []byte) bool, e E) error {
		part := plog.NewLogs()
		all.CopyTo(part)
		part.ResourceLogs().RemoveIf(func(r plog.ResourceLogs) bool {
			r.ScopeLogs().RemoveIf(func(s plog.ScopeLogs) bool {
				s.LogRecords().RemoveIf(func(log plog.LogRecord) bool {
					return !isOf(c.key(log.TraceID(), r.Resource(), log.Attributes()))
				})
				return s.LogRecords().Len() == 0
			})
			return r.ScopeLogs().Len() == 0
		})
		if part.LogRecordCount() == 0 {
			return nil
		}
		return any(e).(exporter.Logs).ConsumeLogs(ctx, part)
	})
}

func (c *cells[E]) pushMetrics(ctx context.Context, all pmetric.Metrics) error {
	return each(c, func(isOf func(key []byte) bool, e E) error {
		part := pmetric.NewMetrics()
		all.CopyTo(part)
		part.ResourceMetrics().RemoveIf(func(r pmetric.ResourceMetrics) bool {
			return !isOf(ofResource(r.Resource()))
		})
		if part.DataPointCount() == 0 {
			return nil
		}
		return any(e).(exporter.Metrics).ConsumeMetrics(ctx, part)
	})
}

// each goes through all cells, also when one fails: the whole is sent again, and cells know what they have.
func each[E component.Component](c *cells[E], push func(func([]byte) bool, E) error) error {
	c.mu.RLock()
	endpoints := c.endpoints
	c.mu.RUnlock()
	if len(endpoints) == 0 {
		return errors.New("no cell is known")
	}
	var errs error
	for _, endpoint := range endpoints {
		e, err := c.exporter(endpoint)
		if err == nil {
			err = push(func(key []byte) bool { return cellOf(endpoints, key) == endpoint }, e)
		}
		errs = errors.Join(errs, err)
	}
	return errs
}

// key is what is shared out by. Log records without a trace go to one cell, here.
func (c *cells[E]) key(trace pcommon.TraceID, resource pcommon.Resource, own pcommon.Map) []byte {
	switch c.config.RoutingKey {
	case "service":
		service, _ := resource.Attributes().Get("service.name")
		return []byte(service.AsString())
	case "resource":
		return ofResource(resource)
	case "attributes":
		key := ""
		for _, name := range c.config.RoutingAttributes {
			value, isThere := resource.Attributes().Get(name)
			if !isThere {
				value, isThere = own.Get(name)
			}
			if isThere {
				key += value.AsString()
			}
			key += "|"
		}
		return []byte(key)
	}
	return trace[:]
}

func ofResource(resource pcommon.Resource) []byte {
	service, isThere := resource.Attributes().Get("service.name")
	if !isThere {
		return nil
	}
	return []byte(service.AsString())
}

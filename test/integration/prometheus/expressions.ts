/** A metric as an expression asks for it: its name and its label matchers with their braces, if any. */
export interface Selector {
  readonly name: string;
  readonly matchers: string;
}

/** What Grafana puts in place of a variable; the interval holds two scrapes of 15 s and more. */
const VARIABLES: readonly (readonly [RegExp, string])[] = [
  [/\$__rate_interval/g, '1m'],
  [/\$(?:job|instance)\b/g, '.*'],
];

interface Target {
  readonly expr?: string;
}

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly Target[];
}

export interface Dashboard {
  readonly panels: readonly Panel[];
}

/** Every expression of a dashboard, with its panel's title, as Grafana would send it. */
export function dashboardExpressions(dashboard: Dashboard): { title: string; expr: string }[] {
  return dashboard.panels
    .filter((panel) => panel.type !== 'row')
    .flatMap(({ title, targets = [] }) =>
      targets.map(({ expr = '' }) => ({
        title,
        expr: VARIABLES.reduce((text, [variable, value]) => text.replace(variable, value), expr),
      })),
    );
}

/** The metrics that an expression asks for. Ours all begin with `explain_`; `up` is Prometheus' own. */
export function selectors(expr: string): Selector[] {
  return [...expr.matchAll(/\b(explain_\w+|up)\b(\{[^}]*\})?/g)].map(([, name = '', matchers = '']) => ({
    name,
    matchers,
  }));
}

import type { ExplanationNode } from '../../../src/client/browser.ts';
import { count, duration, money } from '../../state/format.ts';

/** Tokens, cost and how that figure was made. */
export function Figures({ node }: { readonly node: ExplanationNode }) {
  const { summary, latencyMs, tokensIn, tokensOut, costUsd, details } = node;
  const rows: (readonly [string, string])[] = [
    ['Took', duration(latencyMs)],
    ['Tokens in', numberText(summary?.tokensIn ?? tokensIn)],
    ['Tokens out', numberText(summary?.tokensOut ?? tokensOut)],
    ['Cost', money(summary?.totalCostUsd ?? costUsd) + costSource(details)],
    ['Steps', numberText(summary?.count)],
    ['On average', duration(summary?.avgLatencyMs)],
  ];
  return (
    <dl className="figures">
      {rows
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function numberText(number: number | undefined): string {
  return number === undefined ? '' : count(number);
}

/** Reported by the sender, or tokens times the list price. */
function costSource(details: ExplanationNode['details']): string {
  const source = details?.['costSource'];
  return typeof source === 'string' ? ` (${source})` : '';
}

import { NO_ATTRIBUTES, type AttributeValue, type Attributes } from '../../model/attributes.ts';
import { DROPPED_ATTRIBUTES, boundText } from '../bounded-values.ts';
import type { DecodeState } from './decode-state.ts';

/** Collects the KeyValue fields of one owner. */
export class AttributeCollector {
  private map: Map<string, AttributeValue> | undefined;
  private dropped = 0;
  private readonly state: DecodeState;

  constructor(state: DecodeState) {
    this.state = state;
  }

  /** False (and counted as dropped) when no more are taken. */
  take(): boolean {
    if (!this.isFull() && this.state.takeValue()) return true;
    this.dropped++;
    return false;
  }

  set(key: string, value: AttributeValue): void {
    this.map ??= new Map();
    this.map.set(boundText(key, this.state), value);
  }

  private isFull(): boolean {
    return this.map !== undefined && this.map.size >= this.state.limits.maxAttributes;
  }

  /** Attributes that the sender says it dropped, or that were dropped here. */
  drop(count: number): void {
    this.dropped += count;
  }

  finish(): Attributes {
    if (this.dropped > 0) this.set(DROPPED_ATTRIBUTES, this.dropped);
    return this.map ?? NO_ATTRIBUTES;
  }
}

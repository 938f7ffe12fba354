import type { GraphChange } from '../../client/change-log.ts';
import type { Client } from '../../client/client.ts';
import { ClientError } from '../../client/client-error.ts';
import type { LiveGraph } from '../../client/live-graph.ts';
import type { Filters, ViewRequest } from '../../client/view-request.ts';
import { compareIso } from '../../model/time.ts';
import { detailLines } from './node-details.ts';
import { breakLine, type Line, type Paint } from '../terminal/line.ts';
import { whyLines } from '../why-lines.ts';
import { Forest } from './forest.ts';
import { HELP_LINES, actionOf, type Key } from './keys.ts';
import { renderScene } from './render.ts';
import { RowList } from './row-list.ts';
import type { Screen } from './screen.ts';
import { act, initialState, settled, type Effect, type Pane, type WatchState } from './state.ts';

/** Ten frames a second: more than anybody reads. */
const FRAME_MS = 100;
/** Of the time, so that a large graph that changes all the time leaves room for keys. */
const MAX_SHARE_OF_DRAWING = 0.25;
/** The countdown of a lost connection. */
const TICK_MS = 1000;

export interface FullScreenOptions {
  readonly client: Client;
  readonly screen: Screen;
  readonly url: string;
  readonly view: ViewRequest;
  readonly paint: Paint;
}

/** The live view in a terminal: state and effects around the pure parts (state.ts, keys.ts, render.ts). */
export class FullScreen {
  private readonly options: FullScreenOptions;
  private readonly over: Promise<ClientError | undefined>;
  private finish: (error?: ClientError) => void = () => undefined;
  private state: WatchState;
  private live: LiveGraph;
  private forest: Forest;
  private hasExpanded = false;
  /** What the pane shows in a terminal of some width. */
  private paneLines: (columns: number) => readonly Line[] = () => [];
  private frame: NodeJS.Timeout | undefined;
  private nextFrameAt = 0;
  private isOver = false;

  constructor(options: FullScreenOptions) {
    this.options = options;
    this.state = initialState(options.screen.size, { everything: options.view.collapse === 'none' });
    this.over = new Promise((resolve) => {
      this.finish = resolve;
    });
    this.live = this.subscribe();
    this.forest = new Forest(this.live.graph);
  }

  /** Runs until the user leaves or a signal comes. @throws ClientError when the service refuses the view for good */
  async run(): Promise<void> {
    const { screen } = this.options;
    const leave = (): void => this.finish();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, leave);
    const tick = setInterval(() => this.state.connection.state === 'waiting' && this.draw(), TICK_MS);
    screen.open({ key: (key) => this.press(key), resize: () => this.resize(), hangup: leave });
    this.draw();
    try {
      const error = await this.over;
      if (error !== undefined) throw error;
    } finally {
      // The subscription still tells that it is closed.
      this.isOver = true;
      clearInterval(tick);
      clearTimeout(this.frame);
      screen.close();
    }
  }

  private subscribe(): LiveGraph {
    const { client } = this.options;
    const filters = this.filters();
    const { include } = this.options.view;
    const live = client.subscribe({
      filters,
      collapse: this.state.everything ? 'none' : 'auto',
      ...(include && { include }),
    });
    live.on('change', (change) => live === this.live && this.changed(change));
    live.on('notices', () => live === this.live && this.draw());
    live.on('state', ({ state, retryInMs }) => {
      if (live !== this.live) return;
      const wasLost = this.state.connection.wasLost || state === 'waiting';
      const retryAt = retryInMs === undefined ? undefined : Date.now() + retryInMs;
      const resumed = state === 'live' && this.state.connection.wasLost;
      this.update({
        connection: { state, retryAt, wasLost: state !== 'live' && wasLost },
        ...(resumed && { message: 'connected again: the view is current' }),
      });
    });
    live.ready.catch((error: unknown) => live === this.live && this.finish(ClientError.from(error)));
    return live;
  }

  private filters(): Filters {
    const { filters = {} } = this.options.view;
    return this.state.onlyErrors ? { ...filters, status: ['ERROR', 'WARNING'] } : filters;
  }

  private changed(change: GraphChange): void {
    this.forest.apply(change);
    const newest = [...change.nodes.added, ...change.nodes.changed].reduce<string | undefined>(
      (last, { id, timestamp }) =>
        last === undefined || compareIso(timestamp, this.timestampOf(last) ?? '') >= 0 ? id : last,
      undefined,
    );
    if (this.state.follow && newest !== undefined) this.state = { ...this.state, cursor: newest };
    this.draw();
  }

  private timestampOf(id: string): string | undefined {
    const { graph } = this.live;
    return graph.hasNode(id) ? graph.getNodeAttributes(id).timestamp : undefined;
  }

  private press(key: Key): void {
    const action = actionOf(key);
    if (action === undefined) return;
    const { state, effect } = act(this.state, action, this.rows());
    this.state = state;
    if (effect !== undefined) this.perform(effect);
    this.drawNow();
  }

  private perform(effect: Effect): void {
    const { client, screen } = this.options;
    switch (effect.type) {
      case 'quit':
        return this.finish();
      case 'redraw':
        return screen.forget();
      case 'help':
        this.showPane('help', 'Help', () => HELP_LINES.map((text) => [{ text }]));
        return undefined;
      case 'setFilters':
        return this.attempt(this.live.updateFilters(this.filters()));
      case 'resubscribe': {
        const before = this.live;
        this.live = this.subscribe();
        this.forest = new Forest(this.live.graph);
        this.hasExpanded = false;
        return before.close();
      }
      case 'expand':
        this.hasExpanded = true;
        return this.attempt(this.live.expand(effect.nodeId));
      case 'collapse':
        // Most steps never were in a summary: asking would only be refused.
        if (this.hasExpanded) this.live.collapse(effect.nodeId).catch(() => undefined);
        return undefined;
      case 'details':
        return this.read('details', 'Details', client.getNode(effect.nodeId), detailLines);
      case 'why':
        return this.read('why', 'Why', client.why(effect.nodeId), whyLines);
    }
  }

  /** Shows an answer when it comes, and meanwhile that it is asked for. */
  private read<T>(
    kind: Pane['kind'],
    title: string,
    answer: Promise<T>,
    linesOf: (answer: T, columns: number) => readonly Line[],
  ): void {
    const waiting = this.showPane(kind, title, () => [[{ text: 'asking the service …', style: 'dim' }]]);
    const show = (lines: (columns: number) => readonly Line[]): void => {
      // Else it was left meanwhile.
      if (this.paneLines === waiting) this.showPane(kind, title, lines);
    };
    answer.then(
      (value) => show((columns) => linesOf(value, columns)),
      (error: unknown) => show(() => [[{ text: ClientError.from(error).message, style: 'red' }]]),
    );
  }

  private showPane(
    kind: Pane['kind'],
    title: string,
    lines: (columns: number) => readonly Line[],
  ): (columns: number) => readonly Line[] {
    this.paneLines = lines;
    this.update({ pane: { kind, title, lines: this.brokenLines(), top: 0 } });
    return lines;
  }

  private resize(): void {
    const { pane } = this.state;
    this.state = { ...this.state, size: this.options.screen.size };
    this.update({ ...(pane !== undefined && { pane: { ...pane, lines: this.brokenLines(), top: 0 } }) });
  }

  /** Long lines are broken: a pane is for reading. */
  private brokenLines(): readonly Line[] {
    const { columns } = this.state.size;
    return this.paneLines(columns).flatMap((line) => breakLine(line, columns));
  }

  private attempt(verb: Promise<void>): void {
    verb.catch((error: unknown) => this.update({ message: ClientError.from(error).message }));
  }

  private update(part: Partial<WatchState>): void {
    this.state = { ...this.state, ...part };
    this.draw();
  }

  private rows(): RowList {
    return new RowList(this.forest.trees, this.state.foldedTasks);
  }

  /** Soon: what changes until then is in the same frame. */
  private draw(): void {
    if (this.isOver) return;
    this.frame ??= setTimeout(() => this.drawNow(), Math.max(0, this.nextFrameAt - performance.now()));
  }

  private drawNow(): void {
    clearTimeout(this.frame);
    this.frame = undefined;
    const began = performance.now();
    const { screen, url, paint } = this.options;
    const rows = this.rows();
    this.state = settled({ ...this.state, size: screen.size }, rows);
    const scene = {
      state: this.state,
      rows,
      totals: this.forest.totals,
      url,
      filters: this.filters(),
      isComplete: this.live.complete,
      notices: this.live.notices,
      now: Date.now(),
    };
    const isShown = screen.show(renderScene(scene, paint));
    const took = performance.now() - began;
    this.nextFrameAt = began + Math.max(FRAME_MS, took / MAX_SHARE_OF_DRAWING);
    if (!isShown) this.draw();
  }
}

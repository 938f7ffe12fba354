import type { SharedLock } from '../../base/shared-lock.ts';
import type { MarkerOriginals, OverrideFacts } from '../../model/facts.ts';
import type { RedactionDoor } from '../../redaction/door.ts';
import type { EraseHandler } from '../../servers/http/erase-route.ts';
import { overrideKey } from '../../storage/record-key.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import { eraseRequests } from '../erase-requests.ts';
import { Eraser, type Erased } from '../eraser.ts';
import { usersOf } from '../privacy.ts';
import type { Approvals } from '../annotations/approvals.ts';
import type { GuardsStage } from '../guards/guards-stage.ts';
import type { Interrupts } from '../interrupts/interrupts.ts';
import type { Replays } from '../replays.ts';
import { Revealer } from '../reveal.ts';
import type { SharedParts } from '../shared-parts.ts';
import type { Snapshots } from '../snapshots.ts';
import type { ProjectParts } from './project-parts.ts';
import type { SessionsIn } from './sessions-in.ts';
import type { TakingIn } from './taking-in.ts';

/** What administrators of a project may have done. */
export interface Administration {
  /** Shows what is behind markers. */
  readonly revealer: Revealer;
  /** Removes what administrators ask to have removed. */
  readonly erase: EraseHandler<Erased>;
}

export interface AdministrationOptions extends TakingIn, SessionsIn {
  readonly reader: ReaderApi;
  readonly replays: Replays;
  readonly interrupts: Interrupts;
  readonly approvals: Approvals;
  readonly guards: GuardsStage;
}

export function administration(
  shared: SharedParts,
  parts: ProjectParts,
  options: AdministrationOptions,
): Administration {
  const { persistence, privacy } = parts;
  const revealer = new Revealer({
    reader: options.reader,
    vault: privacy.vault,
    accesses: privacy.accesses,
    override: overriding(parts, options),
    overrideOf: (nodeId) => parts.engine.correlator.overrideOf(nodeId),
    redactor: privacy.plainRedactor,
    shownMarkers: privacy.shownMarkers,
  });
  const erase = eraseRequests({
    eraser: projectEraser(shared, parts, options),
    assertOpen: () => options.intake.assertOpen(),
    accesses: persistence.store && privacy.accesses,
    redact: (text) => privacy.plainRedactor.redactText(text),
    fingerprint: (userId) => privacy.markers.make('SECRET', userId),
  });
  return { revealer, erase };
}

/** Has a node show originals to everybody; without them it hides all again. */
function overriding(
  { persistence, engine, privacy }: ProjectParts,
  {
    taking,
    snapshots,
    reader,
  }: { readonly taking: SharedLock; readonly snapshots: Snapshots; readonly reader: ReaderApi },
): (nodeId: string, originals?: MarkerOriginals) => Promise<void> {
  return (nodeId, originals) =>
    taking.shared(async () => {
      // It may have been erased since it was read.
      await reader.getNode(nodeId);
      const source = overrideKey(nodeId);
      const sealed = originals && (await privacy.overrides?.seal(source, originals));
      const facts: OverrideFacts = { kind: 'override', nodeId, ...(sealed !== undefined && { sealed }) };
      await persistence.store?.append([{ facts }]);
      engine.override(facts);
      if (!originals) await privacy.overrides?.forget([source]);
      snapshots.markChanged();
    });
}

interface Erasing extends SessionsIn {
  readonly door: RedactionDoor;
  readonly taking: SharedLock;
  readonly snapshots: Snapshots;
  readonly replays: Replays;
  readonly interrupts: Interrupts;
  readonly approvals: Approvals;
  readonly guards: GuardsStage;
}

function projectEraser(
  { pace }: SharedParts,
  { persistence, engine, privacy }: ProjectParts,
  {
    door,
    taking,
    snapshots,
    agUi,
    mew,
    openFlows,
    artifacts,
    replays,
    interrupts,
    approvals,
    guards,
  }: Erasing,
): Eraser {
  return new Eraser({
    engine,
    pace,
    store: persistence.store,
    alone: (work) => taking.alone(work),
    eraseOriginals: (taskId) => privacy.vault?.erase(taskId) ?? false,
    forgetOverrides: async (sources) => privacy.overrides?.forget(sources),
    forgetThoughts: (isMeant) => door.forget(isMeant),
    forgetOpen: (tasks) => {
      agUi.forget(tasks);
      mew.forget(tasks);
      openFlows.forgetAll();
      interrupts.forget(tasks);
      approvals.forget(tasks);
      guards.forget(tasks);
    },
    userIn: usersOf(privacy),
    removeFiles: (tasks) => artifacts.erased(tasks),
    withoutReplays: (tasks, work) => replays.without(tasks, work),
    saveSnapshot: () => {
      snapshots.markChanged();
      return snapshots.save();
    },
  });
}

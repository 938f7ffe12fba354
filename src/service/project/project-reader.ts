import type { ServiceConfig } from '../../config/schema.ts';
import type { RedactionDoor } from '../../redaction/door.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import { withArchive } from '../archived-reader.ts';
import type { SharedParts } from '../shared-parts.ts';
import { SummaryPhraser } from '../summary-phraser.ts';
import { withProvenance } from '../with-provenance.ts';
import type { ProjectParts } from './project-parts.ts';

/** Answers readers of a project, whatever way they ask, from memory and the store. */
export function projectReader(
  config: ServiceConfig,
  shared: SharedParts,
  { persistence, engine, privacy }: ProjectParts,
  door: RedactionDoor,
): ReaderApi {
  const phraser = summaryPhraser(config, shared, privacy);
  const archived = withArchive({
    phrase: phraser && ((summary) => phraser.phrase(summary)),
    reader: engine.reader,
    store: persistence.store,
    nodesOf: (taskId) => engine.graph.nodesOfTask(taskId),
    partsOf: (nodeId) => engine.correlator.sources.partsOf(nodeId),
    shown: (nodeId, texts) => engine.shownTexts(nodeId, texts),
    shownOfLeft: (node, brought, override) => engine.shownOfLeft(node, brought, override),
    borrowedBy: (nodeId) => engine.correlator.sources.borrowedBy(nodeId),
    isHeldBack: (requestId) => door.isHeldBack(requestId),
    loadTexts: (nodeIds) => {
      const { sources } = engine.correlator;
      return persistence.loadTexts(nodeIds.flatMap((id) => sources.of(id).map(({ key }) => key)));
    },
  });
  return withProvenance(archived, engine.graph);
}

function summaryPhraser(
  { summaryUrl, summaryModel, summaryApiKey }: ServiceConfig,
  { clock, logger }: SharedParts,
  { shownMarkers, tagged }: ProjectParts['privacy'],
): SummaryPhraser | undefined {
  if (summaryUrl === undefined || summaryModel === undefined) return undefined;
  return new SummaryPhraser({
    url: summaryUrl,
    model: summaryModel,
    apiKey: summaryApiKey,
    redact: (taskId, text) => shownMarkers.shown(taskId, tagged(text)),
    clock,
    logger,
  });
}

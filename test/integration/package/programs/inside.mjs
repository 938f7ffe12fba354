import assert from 'node:assert/strict';
import { firstValueFrom, filter, from, isObservable } from 'rxjs';
import { applyUpdate, startService } from 'explainability-agent';

// A program of its own, with RxJS of its own choice: prints the types of the steps that it is shown.
const service = await startService();
assert.ok(isObservable(service.updates()));
from([
  { requestId: 'r1', timestamp: Date.now(), text: 'Look first.', final: true, taskId: 'T1' },
  { requestId: 'r2', timestamp: Date.now(), text: 'Then leap.', final: true, taskId: 'T2' },
]).subscribe(service.thoughts);
await service.publishEvent({ eventType: 'PlanMade', timestamp: Date.now(), payload: { taskId: 'T1' } });
const update = await firstValueFrom(
  service.updates({ filters: { taskIds: ['T1'] } }).pipe(filter(({ addedNodes }) => addedNodes.length >= 3)),
);
const { nodes } = applyUpdate(undefined, update);
await service.stop();
const kafka = { brokers: ['127.0.0.1:1'], cotTopic: 'thoughts' };
const refused = await startService({ config: { kafka } }).catch((error) => error);
assert.equal(refused.code, 'FAILED_PRECONDITION');
assert.match(refused.message, /npm install @platformatic\/kafka/);
console.log(JSON.stringify(nodes.map(({ type }) => type).sort()));

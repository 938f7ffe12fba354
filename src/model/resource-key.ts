import type { AttributeValue, Attributes } from './attributes.ts';
import { textHash } from './text-hash.ts';

/** Equal keys are one string in memory: a key is held by every step. Far more than there are senders at a time. */
const MAX_REMEMBERED = 1024;
const remembered = new Map<string, string>();
/** The records of one request share their resource. */
const ofAttributes = new WeakMap<Attributes, string>();

/**
 * What a span and a metric have in common when one program sent both: `<process>/<machine>`, a hash of about ten
 * characters each, empty where the resource does not say. '' for a resource that says nothing.
 *
 * The process is `service.instance.id`, else what there is of the host's name, the process id and the pod; always
 * together with the service's name. The machine is the pod or container, else the host.
 */
export function resourceKeyOf(attributes: Attributes): string {
  const known = ofAttributes.get(attributes);
  if (known !== undefined) return known;
  const process = processKey(attributes);
  const machine = machineKey(attributes);
  const key = intern(process === '' && machine === '' ? '' : `${process}/${machine}`);
  ofAttributes.set(attributes, key);
  return key;
}

/** The two halves of a resource key. */
export function halvesOf(resourceKey: string): { readonly process: string; readonly machine: string } {
  const slash = resourceKey.indexOf('/');
  return { process: resourceKey.slice(0, Math.max(slash, 0)), machine: resourceKey.slice(slash + 1) };
}

const SERVICE = ['service.namespace', 'service.name'];
const INSTANCE = ['service.instance.id'];
const PLACE = ['host.name', 'process.pid', 'k8s.pod.name'];
/** The first that is there: a container's figures are those of its pod, a bare process's those of its host. */
const MACHINES = ['k8s.pod.uid', 'k8s.pod.name', 'container.id', 'host.id', 'host.name', 'k8s.node.name'];

function processKey(attributes: Attributes): string {
  const instance = wordsOf(attributes, INSTANCE);
  return hashOf([
    ...wordsOf(attributes, SERVICE),
    ...(instance.length > 0 ? instance : wordsOf(attributes, PLACE)),
  ]);
}

function machineKey(attributes: Attributes): string {
  return hashOf(wordsOf(attributes, MACHINES).slice(0, 1));
}

function wordsOf(attributes: Attributes, keys: readonly string[]): string[] {
  return keys.flatMap((key) => {
    const value = attributes.get(key);
    return isSaid(value) ? [`${key}=${String(value)}`] : [];
  });
}

function isSaid(value: AttributeValue | undefined): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function hashOf(words: readonly string[]): string {
  if (words.length === 0) return '';
  // The prefix makes it long enough to be hashed at all; JSON keeps the words apart.
  return textHash(`resource:${JSON.stringify(words)}`) ?? '';
}

function intern(key: string): string {
  const known = remembered.get(key);
  if (known !== undefined) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(key, key);
  return key;
}

import { NO_ATTRIBUTES } from '../../model/attributes.ts';
import type { Resource, Scope } from '../../model/records.ts';

export const NO_RESOURCE: Resource = { attributes: NO_ATTRIBUTES };
export const NO_SCOPE: Scope = { name: '', version: '', attributes: NO_ATTRIBUTES };

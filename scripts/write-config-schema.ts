/** Writes config/explainability-agent.schema.json and config/defaults.jsonc from src/config/keys/. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderDefaults, renderJsonSchema } from '../src/config/describe-config.ts';

const folder = fileURLToPath(new URL('../config/', import.meta.url));
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}explainability-agent.schema.json`, renderJsonSchema());
writeFileSync(`${folder}defaults.jsonc`, renderDefaults());

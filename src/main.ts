#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { runCli } from './cli/run-cli.ts';

// Both measured with `npm run bench`. gRPC copies every request into buffers outside the heap: by default V8
// answers each 64 MB of them with a full collection of the whole graph; counted with the heap, they trigger none.
// Older engines do not know the flag and would say so on standard error.
if (Number.parseInt(process.versions.node, 10) >= 24) {
  setFlagsFromString('--external-memory-accounted-in-global-limit');
}
// The young generation is small and most of it stays: several threads spend more on sharing it out than they gain.
setFlagsFromString('--no-parallel-scavenge');

process.exitCode = await runCli(process.argv.slice(2));

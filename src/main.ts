#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { runCli } from './cli/run-cli.ts';

// Both measured with `npm run bench`. gRPC copies every request into buffers outside the heap: by default V8
// answers each 64 MB of them with a full collection of the whole graph; counted with the heap, they trigger none.
setFlagsFromString('--external-memory-accounted-in-global-limit');
// The young generation is small and most of it stays: several threads spend more on sharing it out than they gain.
setFlagsFromString('--no-parallel-scavenge');

process.exitCode = await runCli(process.argv.slice(2));

#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { runCli } from './cli/run-cli.ts';

// The young generation is small and most of it stays: several threads spend more on sharing it out than they gain
// (`npm run bench`).
setFlagsFromString('--no-parallel-scavenge');

// Node makes short buffers in shared blocks, and each keeps its whole block: what waits for a slow reader would hold a hundred
// times what it is counted as in blocks of 64 KiB, and a sixth of that in these.
Buffer.poolSize = 8 * 1024;

process.exitCode = await runCli(process.argv.slice(2));

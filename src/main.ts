#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { runCli } from './cli/run-cli.ts';

// The young generation is small and most of it stays: several threads spend more on sharing it out than they gain
// (`npm run bench`).
setFlagsFromString('--no-parallel-scavenge');

// Node makes short buffers in shared blocks of 64 KiB, and each keeps its whole block: 1 MiB of frames that waited for a slow
// reader held 86 MiB, and 11 in blocks of 8 KiB.
Buffer.poolSize = 8 * 1024;

process.exitCode = await runCli(process.argv.slice(2));

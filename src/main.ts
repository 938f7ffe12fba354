#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { runCli } from './cli/run-cli.ts';

// The young generation is small and most of it stays: several threads spend more on sharing it out than they gain
// (`npm run bench`).
setFlagsFromString('--no-parallel-scavenge');

process.exitCode = await runCli(process.argv.slice(2));

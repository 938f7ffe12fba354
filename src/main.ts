#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { runCli } from './cli/run-cli.ts';

// Measured (docs/benchmarks.md): gRPC copies every request into buffers outside the heap. By default V8 answers
// each 64 MB of them with a full collection of the whole graph; counted with the heap, they trigger none.
setFlagsFromString('--external-memory-accounted-in-global-limit');

process.exitCode = await runCli(process.argv.slice(2));

import { benchIngest } from './ingest.ts';
console.log(await benchIngest());

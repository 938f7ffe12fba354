import { clientContract } from './client-contract.ts';
import { WAYS } from './ways.ts';

for (const way of WAYS) clientContract(way);

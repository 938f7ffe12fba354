import { connectGrpc } from './grpc-client.ts';
import { startInMemoryService } from './in-memory-service.ts';
import { readerContract } from './reader-contract.ts';
import { connectBrowserStyle, connectWs } from './websocket-client.ts';

readerContract('browser-style WebSocket', () => startInMemoryService(), connectBrowserStyle);
readerContract('ws', () => startInMemoryService(), connectWs);
readerContract('grpc-js', () => startInMemoryService(), connectGrpc);

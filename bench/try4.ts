import { readdirSync, readFileSync } from 'node:fs';
import { GrpcSender } from './support/grpc-sender.ts';
import { spanRequest } from './support/payload.ts';
import { startServer } from './support/server-process.ts';
import { execSync } from 'node:child_process';
const server = await startServer(['--durability', 'memory']);
const pid = execSync("pgrep -f 'main.ts serve --port 0' | head -1").toString().trim();
const sender = new GrpcSender(server.grpcPort);
const req = spanRequest(512, 1);
const tasks = () => readdirSync(`/proc/${pid}/task`).map((t) => { const f = readFileSync(`/proc/${pid}/task/${t}/stat`, 'utf8'); const x = f.split(') ')[1]!.split(' '); return [t, f.split('(')[1]!.split(')')[0], +x[11]!, +x[12]!] as const; });
for (let i = 0; i < 60; i++) { req.renew(); await sender.send(req.body); }
const a = tasks();
for (let i = 0; i < 300; i++) { req.renew(); await sender.send(req.body); }
for (const [t, n, u, s] of tasks()) { const b = a.find((x) => x[0] === t); if (u + s - (b ? b[2] + b[3] : 0) > 5) console.log(t, n, 'user us/span', ((u - (b?.[2] ?? 0)) * 10000 / 153600).toFixed(1), 'sys', ((s - (b?.[3] ?? 0)) * 10000 / 153600).toFixed(1)); }
sender.close(); await server.stop();

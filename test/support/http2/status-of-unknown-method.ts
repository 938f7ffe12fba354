import { Client, credentials } from '@grpc/grpc-js';

/** The status of a call to no method, by a client as it should be: 12 (UNIMPLEMENTED) where the service is well. */
export function statusOfUnknownMethod(port: number): Promise<number | undefined> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const identity = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    const deadline = Date.now() + 10_000;
    client.makeUnaryRequest('/no.such/Method', identity, identity, Buffer.alloc(0), { deadline }, (error) => {
      client.close();
      resolve(error?.code);
    });
  });
}

import { z } from 'zod';
import { projectName } from '../project-name.ts';
import { HEADER_SAFE } from './values.ts';

/** What the service sends to others by itself. */
export const leavingKeys = {
  forward: z
    .strictObject({
      endpoint: z
        .string()
        .max(2048)
        .regex(/^(?:https?|grpcs?):\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/),
      project: projectName.optional(),
      headers: z
        .record(
          z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/),
          z
            .string()
            .max(4096)
            .regex(/^[\x20-\x7e]*$/),
        )
        .optional(),
    })
    .optional()
    .describe(
      'Another receiver of OTLP to which the steps of tasks that have ended are sent on: {"endpoint": "https://collector.example:4318", "headers": {"authorization": "…"}}. "grpc://host:4317" speaks gRPC, "grpcs://" with TLS; "http(s)://" HTTP, with "/v1/traces" where no path is given, but for port 4317, which is gRPC. The tasks are those of the default project, or of the one that "project" names. Never this service itself.',
    ),

  interruptWebhook: z
    .strictObject({
      url: z
        .string()
        .max(2048)
        .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s#]*)?$/),
      secret: z.string().min(16).max(4096).regex(HEADER_SAFE),
      project: projectName.optional(),
    })
    .optional()
    .describe(
      'A program of your own that is told of interrupts for which no agent waits: {"url": "https://agents.example/interrupts", "secret": "…"}, by POST, signed with the secret (HMAC-SHA256). The tasks are those of the default project, or of the one that "project" names.',
    ),
};

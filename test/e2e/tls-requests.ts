/** One span, as OTLP's JSON has it. */
export function exampleRequest(): object {
  const nanoseconds = (BigInt(Date.now()) * 1_000_000n).toString();
  return {
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              {
                traceId: '5b8efff798038103d269b633813fc60c',
                spanId: 'eee19b7ec3c1b174',
                name: 'step over TLS',
                startTimeUnixNano: nanoseconds,
                endTimeUnixNano: nanoseconds,
              },
            ],
          },
        ],
      },
    ],
  };
}

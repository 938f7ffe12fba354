/** Something for the service's log. */
export type Say = (
  level: 'info' | 'warn' | 'error',
  fields: { readonly [key: string]: unknown },
  message: string,
) => void;

/** What may be said of a failure: the code of the system, else the name of the error. */
export function codeOf(error: unknown): string {
  return (error as { readonly code?: string }).code ?? (error instanceof Error ? error.name : 'unknown');
}

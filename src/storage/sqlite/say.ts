/** Something for the service's log. */
export type Say = (
  level: 'info' | 'warn' | 'error',
  fields: { readonly [key: string]: unknown },
  message: string,
) => void;

/** Of errors of the file system that mean: there is no room. */
export const FULL_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

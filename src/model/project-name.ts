/** The project of everybody who is given no other; its ids, and its place in the data folder, are those of a service without projects. */
export const DEFAULT_PROJECT = 'default';

/** What a project may be called: it is the name of a folder as well, on every system. */
const PROJECT_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** What Windows keeps for its devices. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

export const PROJECT_NAME_RULE =
  '1 to 63 lower-case letters, digits and "-", which stands neither first nor last';

export function isProjectName(name: string): boolean {
  return PROJECT_NAME.test(name) && !DEVICE_NAME.test(name);
}

const { PATH, NODE_COMPILE_CACHE } = process.env;

/** The environment of a program that tests start: nobody's settings, and what was compiled before. */
export const NOBODYS_ENV: NodeJS.ProcessEnv = {
  PATH,
  HOME: '/nonexistent',
  ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
};

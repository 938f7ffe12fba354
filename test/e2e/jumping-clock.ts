/** Loaded before a program: with each SIGUSR2 its wall clock jumps back by two days. */
const JUMP_MS = 2 * 86_400_000;

const real = Date.now;
let offset = 0;
Date.now = () => real() + offset;
process.on('SIGUSR2', () => {
  offset -= JUMP_MS;
});

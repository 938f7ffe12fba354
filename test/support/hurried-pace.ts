import { Pace } from '../../src/base/pace.ts';

/** A pace whose turns are over after so many looks, the numbers taken round and round; what it does between turns is told. */
export function hurriedPace(looks: readonly number[], betweenTurns: () => void): Pace {
  let asked = 0;
  let left = looks[0] ?? 1;
  let time = 0;
  const monotonic = (): number => {
    if (--left <= 0) {
      left = looks[++asked % looks.length] ?? 1;
      time += 1000;
    }
    return time;
  };
  return new Pace({ monotonic }, (task) =>
    setImmediate(() => {
      betweenTurns();
      task();
    }),
  );
}

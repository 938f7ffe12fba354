import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Obstacles, routeOf } from '../../ui/views/graph/edge-route.ts';
import { CARD, placeOf } from '../../ui/views/graph/geometry.ts';
import { propertyRuns } from '../support/property-runs.ts';

const cell = fc.record({ col: fc.integer({ min: -1, max: 6 }), row: fc.nat({ max: 3 }) });
const picture = fc
  .uniqueArray(cell, { minLength: 2, maxLength: 20, selector: ({ col, row }) => `${col} ${row}` })
  .filter((cells) => cells.length > 1);

test('[UI8] an arrow runs from its cause to its effect, and on its way behind no card', () => {
  fc.assert(
    fc.property(picture, (cells) => {
      const [from, to] = cells;
      assert.ok(from && to);
      const [source, target] = [placeOf(from), placeOf(to)];
      const sourceY = source.y + CARD.height / 2;
      const { path } = routeOf({
        sourceX: source.x + CARD.width,
        sourceY,
        targetX: target.x,
        targetY: target.y + CARD.height / 2,
        way: new Obstacles(cells).way(from, to, sourceY),
      });
      const points = pointsOn(path);
      assert.deepEqual(points[0], [source.x + CARD.width, sourceY]);
      assert.deepEqual(points.at(-1), [target.x, target.y + CARD.height / 2]);
      for (const card of cells.map(placeOf))
        for (const [x, y] of points)
          assert.ok(
            x <= card.x || x >= card.x + CARD.width || y <= card.y || y >= card.y + CARD.height,
            `${path} is behind the card at ${card.x} ${card.y}`,
          );
    }),
    propertyRuns(),
  );
});

test('[UI8] arrows of neighbours in one row that have to leave it run beside each other', () => {
  const cells = [0, 1, 2, 3, 4].map((col) => ({ col, row: 0 }));
  const obstacles = new Obstacles(cells);
  const ways = cells.slice(0, 3).map((from) => obstacles.way(from, { col: from.col + 2, row: 0 }, 42));
  assert.equal(new Set(ways).size, 3);
});

/** Points along a path of moves, lines and cubic curves, close to each other. */
function pointsOn(path: string): readonly (readonly [x: number, y: number])[] {
  const points: [number, number][] = [];
  for (const [, kind, numbers = ''] of path.matchAll(/([MLC])([^MLC]+)/g)) {
    const [a = 0, b = 0, c = a, d = b, x = a, y = b] = numbers.trim().split(/\s+/).map(Number);
    const [fromX, fromY] = points.at(-1) ?? [x, y];
    if (kind === 'M') points.push([x, y]);
    else
      for (let step = 1; step <= 60; step += 1) {
        const t = step / 60;
        const at = (p: number, q: number, r: number, s: number): number =>
          kind === 'L'
            ? p + (s - p) * t
            : (1 - t) ** 3 * p + 3 * (1 - t) ** 2 * t * q + 3 * (1 - t) * t ** 2 * r + t ** 3 * s;
        points.push([at(fromX, a, c, x), at(fromY, b, d, y)]);
      }
  }
  return points;
}
